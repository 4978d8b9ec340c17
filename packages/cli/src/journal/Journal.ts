/** The journal that `--journal` names. */
import {
  acceptFailover,
  type JournalLocation,
  journalVariable,
  locate,
  nameOf,
  open as openAt,
  SendJournal
} from "@messaging-topup/journal/internal"
import { general, Invocation, on, refuse, text } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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

/**
 * Whether the command may create a journal. Only `run` may: and without a person, one that is not there was lost, or
 * is new each time.
 */
const mayCreate = ({
  dryRun = false,
  newJournal,
  yes = false
}: Omit<JournalFlags, "journal">): boolean =>
  newJournal !== undefined && !dryRun && (!yes || newJournal)

/** Returns where the journal is: as `--journal` or the variable says, or that of this user. */
export const choose = Effect.fnUntraced(function* ({ journal }: JournalFlags) {
  const { environment } = yield* Invocation
  return yield* Effect.catch(Effect.fromResult(locate(journal, environment)), refuse)
})

/** What is reported before the rows are sent names the place. */
const silently = () => Effect.void

/** Opens the journal at a location, which a failure names. A dry run stores nothing, and needs none. */
export const open = (
  location: JournalLocation,
  { acceptFailover: isAccepted = false, dryRun = false, ...flags }: JournalFlags
): Layer.Layer<SendJournal, Failure> => {
  const journal = openAt(location, mayCreate({ ...flags, dryRun }) ? silently : undefined)
  const accepted = isAccepted && !dryRun ? acceptFailover(location) : Effect.void
  return Layer.unwrap(Effect.as(accepted, journal)).pipe(
    Layer.catchTag("JournalUnavailable", (error) => {
      if (dryRun && error.problem === "missing") return openAt({ _tag: "Memory" }, silently)
      const failure =
        location._tag === "Postgres"
          ? Effect.fail(error)
          : cannotRun(`${nameOf(location)}: ${error.message}`)
      return Layer.effect(SendJournal, failure)
    })
  )
}

/** Provides the journal. */
export const opened = Effect.fnUntraced(function* <A, R>(
  flags: JournalFlags,
  effect: Effect.Effect<A, Failure, R | SendJournal>
): Effect.fn.Return<A, Failure, Exclude<R, SendJournal> | Invocation> {
  const location = yield* choose(flags)
  // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
  return yield* Effect.provide(effect, open(location, flags))
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
