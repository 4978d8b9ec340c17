/** How far a call is. */
import * as Context from "effect/Context"
import type { Head } from "./Transport.ts"

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
