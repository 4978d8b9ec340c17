/** One row of a campaign. */
import type { SendSmsRequest } from "@messaging-topup/core"

/** One SMS of a campaign. Under its key, it is sent at most once. */
export interface Row {
  /** Identifies the row in its campaign: 1 to 512 characters. */
  readonly key: string
  readonly request: SendSmsRequest
}
