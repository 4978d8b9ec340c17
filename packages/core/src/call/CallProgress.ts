/** How far a call is. */
import * as Context from "effect/Context"
import type { Head } from "./Transport.ts"

export interface CallProgress {
  requests: number
  /** Whether any of its requests may have started. */
  started: boolean
  /** What the response to the current request begins with, when it arrived. */
  head: Head | undefined
}

/** How far the calls of a fiber are, for those who need it after an interruption. */
export const CallsInProgress = Context.Reference<Array<CallProgress> | undefined>(
  "@messaging-topup/core/internal/CallsInProgress",
  { defaultValue: () => undefined }
)
