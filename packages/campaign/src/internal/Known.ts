/**
 * A campaign that the journal holds.
 */
import type { CampaignState } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { CampaignNotFound } from "../errors/CampaignNotFound.ts"

export const known = (campaign: string, state: CampaignState | undefined) =>
  state === undefined ? Effect.fail(new CampaignNotFound({ campaign })) : Effect.succeed(state)
