/**
 * The journal that `--journal` names.
 */
import type { SendJournal } from "@messaging-topup/journal"
import { type JournalLocation, open } from "@messaging-topup/journal/open"
import type { UsageError } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import * as Campaign from "./Campaign.ts"
import { cannotRun, type Failure, refuse } from "./Failure.ts"
import type { JournalFlags } from "./Flags.ts"
import { Invocation } from "./Invocation.ts"
import type { List } from "./List.ts"

const defaultFile = "./messaging-topup-campaign.sqlite"
const addressVariable = "MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL"

const sqlite = "sqlite:"

/** Returns the journal that `--journal` names, or the default. */
export const choose = Effect.fnUntraced(function* ({
  journal: given
}: JournalFlags): Effect.fn.Return<JournalLocation, UsageError, Invocation> {
  if (given === undefined) return { _tag: "Sqlite", file: defaultFile }
  if (given.startsWith(sqlite) && given.length > sqlite.length) {
    return { _tag: "Sqlite", file: given.slice(sqlite.length) }
  }
  if (given !== "postgres") {
    // The error does not contain the value: it may be an address with a password.
    return yield* refuse(
      `--journal: give sqlite:FILE, or postgres with the address in ${addressVariable}`
    )
  }
  const { environment } = yield* Invocation
  const url = environment[addressVariable] ?? ""
  if (url === "") return yield* refuse(`--journal postgres: ${addressVariable} is not set`)
  return { _tag: "Postgres", url: Redacted.make(url) }
})

export const exists = (choice: JournalLocation): boolean =>
  choice._tag !== "Sqlite" || existsSync(choice.file)

/** Provides a journal that knows the campaign: a misspelled path does not create an empty one. */
export const withCampaign = Effect.fnUntraced(function* <A, R>(
  flags: JournalFlags,
  campaign: string,
  effect: Effect.Effect<A, Failure, R | SendJournal>,
  list?: List
): Effect.fn.Return<A, Failure, Exclude<R, SendJournal> | Invocation> {
  const choice = yield* choose(flags)
  if (choice._tag === "Sqlite" && !exists(choice)) {
    return yield* cannotRun(`The journal ${choice.file} does not exist: check --journal`)
  }
  const known = Effect.gen(function* () {
    if (yield* Campaign.check(campaign, list)) return
    const name = JSON.stringify(campaign)
    return yield* cannotRun(`The journal has no campaign ${name}: check --campaign and --journal`)
  })
  // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
  return yield* Effect.provide(Effect.andThen(known, effect), open(choice))
})
