/**
 * What every journal does, whatever it is kept in: each behaviour starts on an empty one.
 */
import type { MessagingTopup } from "@messaging-topup/core"
import type { CampaignJournal, SendClaims, SendJournal } from "@messaging-topup/journal"
import type { Sandbox } from "@messaging-topup/sandbox"
import type * as Effect from "effect/Effect"
import { campaigns } from "./behaviours/Campaigns.ts"
import { claims } from "./behaviours/Claims.ts"
import { pruning } from "./behaviours/Pruning.ts"
import { singleSends } from "./behaviours/SingleSends.ts"
import { slices } from "./behaviours/Slices.ts"

export type Behaviour = Effect.Effect<
  void,
  unknown,
  CampaignJournal | MessagingTopup | Sandbox | SendClaims | SendJournal
>

const all: Readonly<Record<string, Behaviour>> = {
  ...slices,
  ...singleSends,
  ...claims,
  ...pruning,
  ...campaigns
}

export const behaviours: ReadonlyArray<readonly [title: string, behaviour: Behaviour]> =
  Object.entries(all)
