/** The journal that `--journal` names. */
import {
  argumentOfVariable,
  type JournalLocation,
  journalVariable,
  locate,
  nameOf,
  openNamed,
  placed,
  SendJournal
} from "@messaging-topup/journal/internal"
import {
  argumentsOf,
  exitCodes,
  general,
  Invocation,
  note,
  refuse,
  text
} from "@messaging-topup/command"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as Campaign from "./Campaign.ts"
import { cannotRun, type CommandError } from "../CommandError.ts"

/** The last options of every command on a journal. */
export const common = {
  journal: text(
    "file",
    `that of ${journalVariable}, or a file of this user`,
    `Where sends are remembered: a file, or postgres, whose URL is in ${journalVariable}`
  ),
  ...general
}

export interface JournalFlags {
  readonly journal: string | undefined
}

/** Returns where the journal is: as `--journal` or the variable says, or that of this user. */
export const choose = Effect.fnUntraced(function* ({ journal }: JournalFlags) {
  const { environment } = yield* Invocation
  return yield* Effect.catch(Effect.fromResult(locate(journal, environment)), refuse)
})

/**
 * What names the journal in a line that people copy: they may paste it where the variable names another one, in which
 * an id is another send.
 */
export const argumentsFor = Effect.fnUntraced(function* ({ journal: given }: JournalFlags) {
  const { environment } = yield* Invocation
  const journal = given ?? argumentOfVariable(environment)
  return argumentsOf({ journal: common.journal }, { journal })
})

/** What a line lacks of it that repeats the arguments of this command. */
export const argumentsLacking = (flags: JournalFlags) =>
  flags.journal === undefined ? argumentsFor(flags) : Effect.succeed([])

/** Builds the journal at a location, which must be there. */
export const at = (
  location: JournalLocation
): Effect.Effect<Context.Context<SendJournal>, CommandError, Scope> =>
  Layer.build(openNamed(location))

/** What a journal can know of lists: it is not there, no list was run on it, or some were. */
export type Knowledge = "nothing" | "no-list" | "lists"

interface Looked {
  readonly journal: Context.Context<SendJournal>
  readonly knows: Knowledge
}

const thatIsThere = Effect.fnUntraced(function* (
  location: JournalLocation
): Effect.fn.Return<Looked, CommandError, Scope> {
  const journal = yield* at(location)
  const areBegun = yield* placed(location)(Context.get(journal, SendJournal).lists.areBegun)
  return { journal, knows: areBegun ? "lists" : "no-list" }
})

/** The same, in which a person began lists: that of a program or the MCP server may be in the place of another one. */
export const begun = (location: JournalLocation) =>
  Effect.tap(thatIsThere(location), ({ knows }) =>
    knows === "lists"
      ? Effect.void
      : cannotRun(
          `${nameOf(location)}: a program or the MCP server created this journal, no list was run on it, and without the right journal everything would be sent again: check where it should be; if no list was sent before, messaging-topup init begins lists in it, once`
        )
  )

/** Builds a journal that is there, or a new one, which what is told before the rows are sent has named. */
export const begin = (location: JournalLocation): ReturnType<typeof at> =>
  Layer.build(openNamed(location, () => Effect.void))

/** The same to look something up: instead of one that is not there, an empty one in memory. */
export const look = (location: JournalLocation) =>
  Effect.catchIf(
    thatIsThere(location),
    (error) => error._tag === "JournalUnavailable" && error.problem === "missing",
    () =>
      Effect.map(begin({ _tag: "Memory" }), (journal): Looked => ({ journal, knows: "nothing" }))
  )

/** Fails if the service of this command is at another address than that of the journal, which says nothing of what went there. */
export const requireAddress = (location: JournalLocation) =>
  placed(location)(Effect.flatMap(SendJournal, ({ usable }) => usable))

/** What is missing in another database server reads like a wrong name, so who changes something hears of that server first. */
export const requireServer = Effect.flatMap(SendJournal, ({ operator }) => operator.checkServer)

/** Returns what to say of another database server that took over; undefined if none did. */
export const failover = requireServer.pipe(
  Effect.as(undefined),
  Effect.catchIf(
    (error) => error._tag === "JournalUnavailable" && error.problem === "failed-over",
    ({ message }) => Effect.succeed(message)
  )
)

/** Returns whether another database server took over, and says so. */
const noteFailover = Effect.flatMap(failover, (message) =>
  message === undefined ? Effect.succeed(false) : Effect.as(note(message), true)
)

/** What only reads does so after a failover, too, for a person who compares: then it says so, and its exit code, too. */
export const reading = <R>(
  effect: Effect.Effect<number, CommandError, R>
): Effect.Effect<number, CommandError, Invocation | R | SendJournal> =>
  Effect.gen(function* () {
    const code = yield* effect
    return (yield* noteFailover) ? exitCodes.failed : code
  })

/** Provides the journal. */
export const opened = <A, R>(
  flags: JournalFlags,
  effect: Effect.Effect<A, CommandError, R | SendJournal>
) =>
  Effect.flatMap(choose(flags), at).pipe(
    Effect.flatMap((journal) => Effect.provideContext(effect, journal)),
    Effect.scoped
  )

/** Provides a journal that knows the campaign. What reads another list's campaign says so; what changes it refuses. */
export const withCampaign = <A, R>(
  campaign: Campaign.Named & { readonly flags: JournalFlags },
  kind: "changes" | "reads",
  effect: Effect.Effect<A, CommandError, R | SendJournal>
) => {
  const known = Effect.gen(function* () {
    if (kind === "changes") yield* requireServer
    const { isBegun, noStopList, otherFolder } = yield* Campaign.find(campaign)
    if (!isBegun) {
      yield* noteFailover
      yield* (yield* SendJournal).operator.checkWhole
      const name = JSON.stringify(campaign.campaign)
      return yield* cannotRun(`The journal has no campaign ${name}: check --campaign and --journal`)
    }
    // What reads says which rows are excluded.
    if (kind === "reads" && noStopList !== undefined) yield* note(noStopList)
    if (otherFolder === undefined) return
    yield* kind === "reads" ? note(otherFolder) : cannotRun(`Nothing was changed. ${otherFolder}`)
  })
  return opened(campaign.flags, Effect.andThen(known, effect))
}
