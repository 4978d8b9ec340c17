/**
 * Details of a request that a handler reports. The response does not contain them.
 */
import * as Context from "effect/Context"
import type { Fault } from "../faults/Fault.ts"

export interface Details {
  /** The fault to apply to the response. */
  fault?: Fault
  /** The suffix of the forced outcome. */
  forced?: string
  /** The recipient of the SMS, accepted or not. */
  recipient?: string
  /** The id of the accepted SMS. */
  messageId?: string
}

/** Each request has its own details. */
export class RequestDetails extends Context.Service<RequestDetails, Details>()(
  "@messaging-topup/sandbox/service/RequestDetails"
) {}
