/** The journal that `--journal` names. */
import { journalVariable, type SendJournal } from "@messaging-topup/journal/internal"
import { type JournalLocation, locate, open } from "@messaging-topup/journal/open"
import { general, Invocation, on, refuse, text, type UsageError } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Campaign from "./Campaign.ts"
import { cannotRun, type Failure } from "../Failure.ts"
import type { List } from "../input/List.ts"

/** The last options of every command on a journal. */
export const common = {
  journal: text(
    "file",
    `that of ${journalVariable}, or a file of this user`,
    `Where sends are remembered: a file, or postgres, whose URL is in ${journalVariable}`
  ),
  ...general
}

/** For commands that write, because what is accepted is stored. The others read without it. */
export const writing = {
  acceptFailover: on(
    "Goes on although another PostgreSQL server took over, and the last sends may be missing in it"
  )
}

export interface JournalFlags {
  readonly journal: string | undefined
  readonly acceptFailover?: boolean
  readonly dryRun?: boolean
  readonly newJournal?: boolean
  readonly yes?: boolean
}

/** The journal of earlier versions, in the current folder. An ignored one would be an empty journal. */
const formerFile = "messaging-topup-campaign.sqlite"

/**
 * Whether the command may not create a journal. Only `run` may: and without a person, one that is not there was
 * lost, or is new each time.
 */
export const mustExistFor = ({ newJournal, yes = false }: Omit<JournalFlags, "journal">): boolean =>
  newJournal === undefined || (yes && !newJournal)

/** Returns the journal that `--journal` or the variable names, or that of this user. */
export const choose = Effect.fnUntraced(function* ({
  acceptFailover: accepted = false,
  dryRun = false,
  journal: given,
  ...flags
}: JournalFlags): Effect.fn.Return<JournalLocation, UsageError, Invocation> {
  const { environment } = yield* Invocation
  if (given === undefined && existsSync(formerFile)) {
    return yield* refuse(
      `The journal is no longer in the current folder. Name ${formerFile} with --journal, or move it away: without it, everything in it would be sent again`
    )
  }
  const location = yield* Effect.catch(Effect.fromResult(locate(given, environment)), refuse)
  // A dry run stores nothing.
  const acceptFailover = accepted && !dryRun
  const mustExist = dryRun || mustExistFor(flags)
  return location._tag === "Postgres" ? { ...location, acceptFailover, mustExist } : location
})

/** The place of a journal, as people read it. */
export const nameOf = (location: JournalLocation): string => {
  if (location._tag === "Sqlite") return resolve(location.file)
  return location._tag === "Postgres" ? "PostgreSQL" : "memory"
}

/** Whether a journal is there already, as far as a path tells: a database tells when it is opened. */
export const exists = (choice: JournalLocation): boolean =>
  choice._tag === "Sqlite" ? existsSync(choice.file) : choice._tag === "Postgres"

/** Provides a journal: a misspelled path does not create an empty one. */
export const opened = Effect.fnUntraced(function* <A, R>(
  flags: JournalFlags,
  effect: Effect.Effect<A, Failure, R | SendJournal>
): Effect.fn.Return<A, Failure, Exclude<R, SendJournal> | Invocation> {
  const choice = yield* choose(flags)
  if (choice._tag === "Sqlite" && !exists(choice)) {
    return yield* cannotRun(`The journal ${choice.file} does not exist: check --journal`)
  }
  // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
  return yield* Effect.provide(effect, open(choice))
})

/** Provides a journal that knows the campaign. */
export const withCampaign = <A, R>(
  flags: JournalFlags,
  campaign: string,
  effect: Effect.Effect<A, Failure, R | SendJournal>,
  list?: List
) => {
  const known = Effect.gen(function* () {
    if (yield* Campaign.check(campaign, list)) return
    const name = JSON.stringify(campaign)
    return yield* cannotRun(`The journal has no campaign ${name}: check --campaign and --journal`)
  })
  return opened(flags, Effect.andThen(known, effect))
}
