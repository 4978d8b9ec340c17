/**
 * What a handler says of a request beside its response. None of it shows in the response itself.
 */
import * as Context from "effect/Context"
import type { Fault } from "../Fault.ts"

export interface Said {
  /** What is to happen to the response on the wire. */
  fault?: Fault
  /** The suffix of the forced outcome. */
  forced?: string
  /** Whom the SMS was for, accepted or not. */
  recipient?: string
  /** The SMS that was accepted. */
  messageId?: string
}

/** One for each request. */
export class Trail extends Context.Service<Trail, Said>()(
  "@messaging-topup/sandbox/internal/Trail"
) {}
