import type { ClaimRequest } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"

/** A claim without guards, and with what a test adds. */
export const request = (key: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key,
  principal: "p",
  fields: {},
  limits: [],
  staleAfter: Duration.minutes(1),
  holdAccepted: Duration.infinity,
  holdUnknown: Duration.infinity,
  over: "nothing",
  ...more
})
