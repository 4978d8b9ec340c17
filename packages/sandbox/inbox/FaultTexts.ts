/**
 * Describes faults in words.
 */
import type { SandboxFault } from "../src/faults/Fault.ts"
import { faults, forcedOutcomes } from "./Tables.ts"

const titleOf = (name: string): string => faults.find((fault) => fault.name === name)?.title ?? name

const duration = (times: number | undefined): string => {
  if (times === undefined) return "until cleared"
  return times === 1 ? "next request" : `next ${times} requests`
}

const details = (fault: SandboxFault): string => {
  if ("location" in fault) return `, ${fault.status} to ${fault.location}`
  if ("status" in fault) return `, ${fault.status}`
  if ("bytes" in fault) return `, ${fault.bytes} bytes`
  return "accept" in fault && fault.accept ? ", SMS accepted" : ""
}

/** Describes a fault in one line: `Another response, 503 · next request`. */
export const describe = (fault: SandboxFault): string =>
  `${titleOf(fault.fault)}${details(fault)} · ${duration(fault.times)}`

/** Describes what a request got, of which only the name of the fault or the suffix is recorded. */
export const describeRecorded = (fault: string): string => {
  const forced = forcedOutcomes.find(({ suffix }) => suffix === fault)
  return forced === undefined ? titleOf(fault) : `${fault}: ${forced.response.replaceAll("`", "")}`
}
