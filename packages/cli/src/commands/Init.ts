/**
 * `init`: a person creates the journal, or begins lists in that of others, or accepts the database server that took over,
 * or that the service moved.
 */
import { exitCodes, on, refuse, type Values } from "@messaging-topup/command"
import {
  acceptFailover,
  create,
  exists,
  type JournalLocation,
  nameOf,
  placed,
  SendJournal
} from "@messaging-topup/journal/internal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { agreed, stoppable } from "../CommandFile.ts"
import { tell } from "../Events.ts"
import { cannotRun, requireTerminal } from "../CommandError.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"

const options = {
  acceptFailover: on(
    "Instead: accepts that another PostgreSQL server took over, in which the last sends may be missing"
  ),
  acceptAddress: on(
    "Instead: accepts that the service moved: the next address to which it sends is that of the journal"
  ),
  yes: on("Skips the question"),
  ...ChosenJournal.common
}

type Flags = Values<typeof options>

/** Lists begin in a journal that a program or the MCP server created. */
const beginAt = Effect.fnUntraced(function* (location: JournalLocation, flags: Flags) {
  const journal = nameOf(location)
  const { lists } = yield* SendJournal
  if (yield* lists.areBegun) {
    return yield* cannotRun(`${journal}: there is a journal already, and it stays as it is`)
  }
  const question = `Begin lists in the journal ${journal}, which a program or the MCP server created? It knows of no list that was run before, so that would be sent again.`
  if (!(yield* agreed(question, flags, "Nothing was changed"))) return exitCodes.failed
  yield* lists.begin
  yield* tell({ event: "Begun", journal }, `${journal}: lists begin in this journal`)
  return exitCodes.done
})

const createAt = Effect.fnUntraced(function* (location: JournalLocation, flags: Flags) {
  const journal = nameOf(location)
  const beginThere = ChosenJournal.opened(flags, beginAt(location, flags))
  if (yield* placed(location)(exists(location))) return yield* beginThere
  const question = `Create a journal, ${journal}? It knows of nothing that was sent before, so lists and programs would send that again.`
  if (!(yield* agreed(question, flags, "Nothing was created"))) return exitCodes.failed
  const said = yield* placed(location)(create(location))
  if (said === undefined) return yield* beginThere
  yield* tell({ event: "Created", journal }, said)
  return exitCodes.done
})

/** What a person accepts, once. `ask` returns the question, or undefined if there is nothing to accept. */
const acceptances = {
  acceptFailover: {
    ask: Effect.map(ChosenJournal.failover, (failover) =>
      failover === undefined
        ? undefined
        : "Go on with the server that took over? What was sent last may be missing in it, and would be sent again: compare sends and results with the service first, and keep what went out from going out again."
    ),
    nothing: "no other server took over",
    accept: acceptFailover,
    accepted: "the server that took over is accepted"
  },
  acceptAddress: {
    ask: Effect.flatMap(SendJournal, ({ address }) =>
      Effect.map(address.find, (found) =>
        found === undefined
          ? undefined
          : `Has the service moved from ${found} to another address? What this journal has as sent is not sent again there, so it must be the same service: a trial needs a journal of its own.`
      )
    ),
    nothing: "it has no address yet",
    accept: (location: JournalLocation) =>
      ChosenJournal.at(location).pipe(
        Effect.flatMap((journal) => Context.get(journal, SendJournal).address.forget),
        Effect.scoped
      ),
    accepted:
      "the next address to which it sends is accepted; what runs with the old one sends there until it is restarted"
  }
} as const

const acceptAt = Effect.fnUntraced(function* (
  location: JournalLocation,
  flags: Flags,
  what: keyof typeof acceptances
) {
  const { accept, accepted, ask, nothing } = acceptances[what]
  const journal = nameOf(location)
  const question = yield* ChosenJournal.opened(flags, ask)
  if (question === undefined) {
    return yield* cannotRun(`${journal}: ${nothing}, and nothing was changed`)
  }
  if (!(yield* agreed(question, flags, "Nothing was changed"))) return exitCodes.failed
  yield* placed(location)(accept(location))
  yield* tell({ event: "Accepted", journal }, `${journal}: ${accepted}`)
  return exitCodes.done
})

const init = Effect.fnUntraced(function* (flags: Flags) {
  if (!flags.yes) yield* requireTerminal("nothing was changed")
  const location = yield* ChosenJournal.choose(flags)
  if (location._tag === "Memory") {
    return yield* refuse("--journal: memory forgets what was sent: give a file or a database")
  }
  if (flags.acceptFailover && flags.acceptAddress) {
    return yield* refuse("Give --accept-failover or --accept-address, one after the other")
  }
  if (flags.acceptFailover) return yield* acceptAt(location, flags, "acceptFailover")
  if (flags.acceptAddress) return yield* acceptAt(location, flags, "acceptAddress")
  return yield* createAt(location, flags)
})

export const command = stoppable<Flags>({
  usage: "[options]",
  details:
    "A journal that had lists stays, and is an error: a journal that was lost must not begin anew by itself, so this is no step of a script",
  options,
  run: init
})
