/**
 * Reads a fault from the form.
 */
import type { FaultRequest } from "../../src/record/Model.ts"
import { type FaultName, hasNoFields } from "./Faults.ts"

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value : ""
}

const header = /^([^:]+):(.*)$/

/** Returns what is wrong with the header lines, or an empty string. */
export const headersProblem = (lines: string): string => {
  const wrong = lines.split("\n").find((line) => line.trim() !== "" && !header.test(line.trim()))
  return wrong === undefined ? "" : `Write each header as "name: value": ${wrong.trim()}`
}

const headersOf = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines.split("\n").flatMap((line) => {
      const [, name, value] = header.exec(line.trim()) ?? []
      return name === undefined || value === undefined ? [] : [[name.trim(), value.trim()]]
    })
  )

const timesOf = (form: FormData): { times?: number } => {
  switch (textOf(form, "lasting")) {
    case "once":
      return { times: 1 }
    case "times":
      return { times: Number(textOf(form, "times")) }
    default:
      return {}
  }
}

export const faultOf = (fault: FaultName, form: FormData): FaultRequest => {
  const times = timesOf(form)
  if (hasNoFields(fault)) return { fault, ...times }
  switch (fault) {
    case "Response": {
      const headers = headersOf(textOf(form, "headers"))
      return {
        fault,
        status: Number(textOf(form, "status")),
        body: textOf(form, "body"),
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...times
      }
    }
    case "Redirect":
      return {
        fault,
        status: Number(textOf(form, "status")),
        location: textOf(form, "location"),
        ...times
      }
    case "NoResponse":
      return { fault, accept: form.has("accept"), ...times }
    case "OversizedBody":
      return { fault, bytes: Number(textOf(form, "bytes")), ...times }
  }
}
