/**
 * Details of a request that a handler reports. The response does not contain them.
 */
import * as Context from "effect/Context"
import type { Fault } from "../faults/Fault.ts"

interface Details {
  /** The fault to apply to the response. */
  fault?: Fault
  /** The name of the fault or the suffix of the forced outcome, and the id of the accepted SMS. */
  outcome: { readonly fault?: string; readonly message_id?: string }
}

/** Each request has its own details. */
export class RequestDetails extends Context.Service<RequestDetails, Details>()(
  "@messaging-topup/sandbox/service/RequestDetails"
) {}
