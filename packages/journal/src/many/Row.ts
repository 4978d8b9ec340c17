/** One row of a campaign. */
import type { SendSmsRequest } from "@messaging-topup/core"
import type { Standing } from "../model/Send.ts"

/** One SMS of a campaign. Under its key, it is sent at most once. */
export interface Row {
  /**
   * Identifies the row in its campaign: 1 to 512 characters. It is stored as it is given, but of a key that
   * could be a phone number only a keyed digest.
   */
  readonly key: string
  readonly request: SendSmsRequest
}

/** How a row stands for a run: only a `"free"` one is sent. */
export type RowState = Standing["state"] | "changed"

/** What the service refused may have changed since. Other rows must be as they were. */
export const stateOf = ({ isChanged, state }: Standing, retryRejected: boolean): RowState => {
  if (state === "rejected") return retryRejected ? "free" : state
  return isChanged ? "changed" : state
}
