/** Checks the options of `sendMany`, and applies their defaults. */
import { flag } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { CampaignOptions } from "../model/Campaign.ts"
import { checkNewName } from "../model/Names.ts"
import { type Option, passing, readOptions, unchecked } from "../model/Options.ts"
import * as QuietHours from "./QuietHours.ts"

/** How `sendMany` sends: see {@link CampaignOptions}. */
export interface SendManyOptions extends CampaignOptions<Effect.Effect<void>> {}

/** Each request in flight needs a connection. */
export const maxConcurrency = 1000

const isConcurrency = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxConcurrency

const isRate = (value: unknown): value is number => Number.isFinite(value) && Number(value) > 0

const isOnEvent = (value: unknown): value is NonNullable<SendManyOptions["onEvent"]> =>
  Predicate.isFunction(value)

const isAllowRepeats = (value: unknown): value is NonNullable<CampaignOptions["allowRepeats"]> =>
  Predicate.isBoolean(value) ||
  (Predicate.hasProperty(value, "has") && Predicate.isFunction(value.has))

export const table = {
  campaign: { check: checkNewName },
  concurrency: {
    check: passing(isConcurrency, `it must be a whole number from 1 to ${maxConcurrency}`),
    default: 50
  },
  messagesPerSecond: { check: passing(isRate, "it must be a number above 0"), default: undefined },
  // It has options of its own.
  quietHours: unchecked,
  retryRejected: { check: flag, default: false },
  allowRepeats: {
    check: passing(isAllowRepeats, "it must be true, false, or a set of keys"),
    default: true
  },
  attended: { check: flag, default: false },
  onEvent: { check: passing(isOnEvent, "it must be a function"), default: () => Effect.void }
} satisfies Record<keyof SendManyOptions, Option<unknown>>

/** Checks all options. */
export const read = (options: SendManyOptions) =>
  Result.flatMap(readOptions("sendMany", table, options), ({ quietHours, ...settings }) =>
    Result.map(QuietHours.make(quietHours), (quietUntil) => ({ ...settings, quietUntil }))
  )

export type Settings = Result.Result.Success<ReturnType<typeof read>>
