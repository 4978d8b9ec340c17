/**
 * The titles and descriptions of the faults.
 */
import type { ActiveFault, FaultRequest } from "../../src/record/Model.ts"

export type FaultName = FaultRequest["fault"]

interface FaultText {
  readonly title: string
  readonly description: string
}

/** Grouped by whether the SMS is accepted, which matters most to a client. */
export const beforeAcceptance = {
  Response: {
    title: "Another response",
    description: "Sends the status and the body that you enter. Accepts nothing."
  },
  Redirect: { title: "Redirect", description: "Redirects to another URL. Accepts nothing." },
  ResetBeforeAcceptance: {
    title: "Reset before acceptance",
    description: "Accepts nothing and resets the connection."
  },
  NoResponse: {
    title: "No response",
    description: "Never responds. You choose whether the SMS is accepted first."
  }
} satisfies Partial<Record<FaultName, FaultText>>

export const afterAcceptance = {
  ResetAfterAcceptance: {
    title: "Reset after acceptance",
    description: "Accepts the SMS, then resets the connection before any response."
  },
  HeadersThenSilence: {
    title: "Headers, then silence",
    description: "Accepts the SMS, sends status and headers, then nothing more."
  },
  EndlessBody: {
    title: "Endless body",
    description: "Accepts the SMS, then sends a body that never ends."
  },
  OversizedBody: {
    title: "Oversized body",
    description: "Accepts the SMS and pads the correct response to this many bytes."
  },
  TruncatedJson: {
    title: "Truncated JSON",
    description: "Accepts the SMS and sends the first half of the correct JSON."
  },
  WrongContentType: {
    title: "Wrong content type",
    description: "Accepts the SMS and sends the correct response as text/html."
  },
  BodyCutOff: {
    title: "Body cut off",
    description: "Accepts the SMS, sends half of the announced body, then resets the connection."
  }
} satisfies Partial<Record<FaultName, FaultText>>

type NameWithoutFields = Exclude<
  FaultName,
  "NoResponse" | "OversizedBody" | "Redirect" | "Response"
>

/** By type, so that the compiler asks for a new fault here, or else for its fields. */
const withoutFields: Readonly<Record<NameWithoutFields, true>> = {
  ResetBeforeAcceptance: true,
  ResetAfterAcceptance: true,
  TruncatedJson: true,
  BodyCutOff: true,
  EndlessBody: true,
  HeadersThenSilence: true,
  WrongContentType: true
}

export const hasNoFields = (name: string): name is NameWithoutFields =>
  Object.hasOwn(withoutFields, name)

export const faultTexts: Record<FaultName, FaultText> = { ...beforeAcceptance, ...afterAcceptance }

/** Only the program that runs the sandbox can set this fault: no HTTP request could clear it. */
const refusedConnection = { ConnectionRefused: { title: "Connection refused" } }

const titles: Readonly<Record<string, { readonly title: string }>> = {
  ...faultTexts,
  ...refusedConnection
}

export const titleOf = (name: string): string => titles[name]?.title ?? name

const duration = (times: number | undefined): string => {
  if (times === undefined) return "until cleared"
  return times === 1 ? "next request" : `next ${times} requests`
}

const facts = (fault: ActiveFault): string => {
  if (hasNoFields(fault.fault)) return ""
  switch (fault.fault) {
    case "Response":
      return `, ${fault.status}`
    case "Redirect":
      return `, ${fault.status} to ${fault.location}`
    case "OversizedBody":
      return `, ${fault.bytes} bytes`
    case "NoResponse":
      return fault.accept === true ? ", SMS accepted" : ""
    case "ConnectionRefused":
      return ""
  }
}

/** Describes a fault in one line: `Another response, 503 · next request`. */
export const describe = (fault: ActiveFault): string =>
  `${titleOf(fault.fault)}${facts(fault)} · ${duration("times" in fault ? fault.times : undefined)}`
