/**
 * Converts a fault to JSON, and back.
 */
import { Fault } from "./Fault.ts"
import type { SetFault } from "./FaultControl.ts"
import type { ActiveFault, CurrentFault } from "../record/Model.ts"

export const toFault = (json: ActiveFault): Fault => {
  switch (json.fault) {
    case "Response": {
      const { body = "", headers = {}, status } = json
      return Fault.Response({ status, body, headers })
    }
    case "Redirect":
      return Fault.Redirect({ status: json.status, location: json.location })
    case "NoResponse":
      return Fault.NoResponse({ accept: json.accept === true })
    case "OversizedBody":
      return Fault.OversizedBody({ bytes: json.bytes })
    case "ConnectionRefused":
    case "ResetBeforeAcceptance":
    case "ResetAfterAcceptance":
    case "HeadersThenSilence":
    case "EndlessBody":
    case "WrongContentType":
    case "TruncatedJson":
    case "BodyCutOff":
      return { _tag: json.fault }
  }
}

/** How many requests get the fault. */
export const timesOf = (json: ActiveFault): number =>
  "times" in json ? (json.times ?? Infinity) : Infinity

const toJson = ({ fault, remaining }: SetFault): ActiveFault => {
  const times = remaining === Infinity ? {} : { times: remaining }
  switch (fault._tag) {
    case "Response": {
      const { body, headers = {}, status } = fault
      return { fault: fault._tag, status, body, headers, ...times }
    }
    case "Redirect":
      return { fault: fault._tag, status: fault.status, location: fault.location, ...times }
    case "NoResponse":
      return { fault: fault._tag, accept: fault.accept === true, ...times }
    case "OversizedBody":
      return { fault: fault._tag, bytes: fault.bytes, ...times }
    case "ConnectionRefused":
      return { fault: fault._tag }
    case "ResetBeforeAcceptance":
    case "ResetAfterAcceptance":
    case "HeadersThenSilence":
    case "EndlessBody":
    case "WrongContentType":
    case "TruncatedJson":
    case "BodyCutOff":
      return { fault: fault._tag, ...times }
  }
}

export const currentFault = (current: SetFault | undefined): CurrentFault => ({
  fault: current === undefined ? null : toJson(current)
})
