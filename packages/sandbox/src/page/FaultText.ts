/** Describes faults and forced outcomes in words. */
import { forcedOutcomes } from "../service/Outcomes.ts"
import type { Fault, SandboxFault, StoredRequest } from "../Types.ts"

export const titles: Readonly<Record<Fault["fault"], string>> = {
  Response: "Another response, nothing accepted",
  ResetBeforeAcceptance: "Reset before acceptance",
  ResetAfterAcceptance: "Reset after acceptance",
  NoResponse: "No response",
  HeadersThenSilence: "Headers, then silence",
  TruncatedJson: "Truncated JSON",
  BodyCutOff: "Body cut off",
  Slow: "Slow response"
}

const details = (fault: SandboxFault): string => {
  if (fault.fault === "Response") return `, ${fault.status}`
  if (fault.fault === "Slow") return `, ${fault.seconds} s`
  return fault.fault === "NoResponse" && fault.accept === true ? ", SMS accepted" : ""
}

const duration = (times: number | undefined): string => {
  if (times === undefined) return "until cleared"
  return times === 1 ? "next request" : `next ${times} requests`
}

/** `Another response, nothing accepted, 503 · next request`. */
export const describeFault = (fault: SandboxFault): string =>
  `${titles[fault.fault]}${details(fault)} · ${duration(fault.times)}`

/** Describes what a request got; empty if it got the correct response. */
export const describeRecorded = ({
  fault,
  forced
}: Pick<StoredRequest, "fault" | "forced">): string => {
  const outcome = forcedOutcomes.find(({ suffix }) => suffix === forced)
  if (outcome !== undefined) return `${forced}: ${outcome.response.replaceAll("`", "")}`
  return fault === undefined ? "" : titles[fault]
}
