/** How far a call is. */
import * as Context from "effect/Context"
import type { Head } from "./Transport.ts"

/**
 * Whether a request may start: a callback that runs once for each attempt, when the first byte of its request is
 * about to leave. A transport that does not report this (`fetch`, or an `HttpClient`) runs it when it calls the
 * platform. It must not throw.
 *
 * If it returns `false`, the request does not start, and the call is interrupted. A send that is cancelled before
 * the first callback did not go out. After it, a program can let the send end, to learn its outcome.
 */
export const MayStart = Context.Reference<() => boolean>("@messaging-topup/core/MayStart", {
  defaultValue: () => () => true
})

export interface CallRecord {
  attempts: number
  /** Whether the request of any attempt may have started. */
  started: boolean
  /** What the response to the current attempt begins with, when it arrived. */
  head: Head | undefined
}

/** The records of the calls of this client, for those who need them after an interruption. */
export const CallRecords = Context.Reference<Array<CallRecord> | undefined>(
  "@messaging-topup/core/internal/CallRecords",
  { defaultValue: () => undefined }
)
