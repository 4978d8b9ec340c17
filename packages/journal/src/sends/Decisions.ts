/** What a person decides about a send of unknown outcome, and what is forgotten. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CampaignSends } from "../CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { rowsOf, text } from "../database/Rows.ts"
import type { JournalError } from "../Errors.ts"
import type { Decision } from "../Send.ts"
import { rangeOf } from "./Campaigns.ts"
import { makeRule } from "./Rule.ts"

export const decidedState = { sent: "sent", notSent: "closed", resend: "freed" } as const

interface Pruned {
  readonly olderThan: Duration.Duration
  readonly unknown: boolean
}
