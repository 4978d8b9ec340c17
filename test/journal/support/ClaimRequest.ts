import type { ClaimRequest } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"

/** A claim request without limits and approval; `more` replaces fields. */
export const request = (key: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key,
  principal: "p",
  fields: {},
  limits: [],
  staleAfter: Duration.minutes(1),
  holdSent: Duration.infinity,
  holdUnknown: Duration.infinity,
  over: "nothing",
  ...more
})
