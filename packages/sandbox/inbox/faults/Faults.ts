/**
 * The faults of the contract, in words.
 */
import type { ActiveFault, FaultRequest } from "../../src/control/Model.ts"

export type FaultName = FaultRequest["fault"]

interface FaultText {
  readonly title: string
  readonly description: string
}

/** Grouped by what a sender most wants to know. */
export const refusing = {
  Response: {
    title: "Another response",
    description: "Responds with the status and the body that you give. Nothing is accepted."
  },
  Redirect: { title: "Redirect", description: "Redirects elsewhere. Nothing is accepted." },
  ResetBeforeAcceptance: {
    title: "Reset before acceptance",
    description: "Accepts nothing and resets the connection."
  },
  NoResponse: {
    title: "No response",
    description: "Is silent until the client gives up. You say whether the SMS is accepted first."
  }
} satisfies Partial<Record<FaultName, FaultText>>

export const accepting = {
  ResetAfterAcceptance: {
    title: "Reset after acceptance",
    description: "Accepts the SMS, then resets the connection before any response."
  },
  HeadersThenSilence: {
    title: "Headers, then silence",
    description: "Accepts the SMS, sends status and headers, then is silent."
  },
  EndlessBody: {
    title: "Endless body",
    description: "Accepts the SMS, then sends a body without end."
  },
  OversizedBody: {
    title: "Oversized body",
    description: "Accepts the SMS and pads the right response to this many bytes."
  },
  TruncatedJson: {
    title: "Truncated JSON",
    description: "Accepts the SMS and sends the first half of the right JSON."
  },
  WrongContentType: {
    title: "Wrong content type",
    description: "Accepts the SMS and sends the right response as text/html."
  },
  BodyCutOff: {
    title: "Body cut off",
    description: "Accepts the SMS, sends half of the announced body, then resets the connection."
  }
} satisfies Partial<Record<FaultName, FaultText>>

export const faultTexts: Record<FaultName, FaultText> = { ...refusing, ...accepting }

/** Only the program that runs the sandbox can set it: over HTTP nobody could clear it. */
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
    case "ResetBeforeAcceptance":
    case "ResetAfterAcceptance":
    case "TruncatedJson":
    case "BodyCutOff":
    case "EndlessBody":
    case "HeadersThenSilence":
    case "WrongContentType":
      return ""
  }
}

/** One line: `Another response, 503 · next request`. */
export const describe = (fault: ActiveFault): string =>
  `${titleOf(fault.fault)}${facts(fault)} · ${duration("times" in fault ? fault.times : undefined)}`
