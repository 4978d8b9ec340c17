/**
 * The tests that every journal must pass, in memory, SQLite and PostgreSQL. Each starts on an empty
 * journal.
 */
import type { MessagingTopup } from "@messaging-topup/core"
import type { CampaignJournal, SendClaims, SendJournal } from "@messaging-topup/journal"
import type { Sandbox } from "@messaging-topup/sandbox"
import type * as Effect from "effect/Effect"
import { campaigns } from "./conformance/Campaigns.ts"
import { claims } from "./conformance/Claims.ts"
import { loads } from "./conformance/Loads.ts"
import { overview } from "./conformance/Overview.ts"
import { pruning } from "./conformance/Pruning.ts"
import { singleSends } from "./conformance/SingleSends.ts"
import { slices } from "./conformance/Slices.ts"

export type ConformanceTest = Effect.Effect<
  void,
  unknown,
  CampaignJournal | MessagingTopup | Sandbox | SendClaims | SendJournal
>

const all: Readonly<Record<string, ConformanceTest>> = {
  ...slices,
  ...singleSends,
  ...claims,
  ...pruning,
  ...campaigns,
  ...loads,
  ...overview
}

export const conformanceTests: ReadonlyArray<readonly [title: string, test: ConformanceTest]> =
  Object.entries(all)
