/** The commands of the operator: `sends`, `resolve` and `prune`. */
import type { JournalError } from "@messaging-topup/journal"
import { type KnownSend, SendJournal, wordOf } from "@messaging-topup/journal/internal"
import { open } from "@messaging-topup/journal/open"
import type { Environment, UsageError } from "@messaging-topup/command"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { existsSync } from "node:fs"
import type { Given } from "./Options.ts"
import { escaped, isoOf, visible } from "./send/Text.ts"
import { readJournal, refuse } from "./settings/Settings.ts"

const factsOf = ({ caller = "", claimedAt, id, messages, state }: KnownSend) => ({
  id,
  time: isoOf(claimedAt),
  state: wordOf(state),
  caller,
  message_id: messages.map(({ message_id }) => message_id)
})

const columns = ["id", "time", "state", "caller", "message_id"] as const

const table = (sends: ReadonlyArray<KnownSend>): string => {
  const rows = sends.map((send) => {
    const facts = factsOf(send)
    return columns.map((name) => visible([facts[name]].flat().join(" ")))
  })
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0))
  )
  return [columns, ...rows]
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

interface Printed {
  /** Lines for stdout. */
  readonly lines: ReadonlyArray<string>
  readonly code: number
}

const done = (...lines: ReadonlyArray<string>): Printed => ({ lines, code: 0 })

/** All of them: an operator decides about nothing that is hidden. */
const list = Effect.fnUntraced(function* (
  isUnknownOnly: boolean,
  to: string | undefined,
  isJson: boolean
) {
  const { recipientDigest, server } = yield* SendJournal
  const sends = yield* server.recent({
    ...(isUnknownOnly ? { isUnknown: true } : {}),
    ...(to === undefined ? {} : { recipient: recipientDigest(to) }),
    limit: Number.MAX_SAFE_INTEGER
  })
  if (isJson) return done(...sends.map((send) => escaped(JSON.stringify(factsOf(send)))))
  if (sends.length > 0) return done(table(sends))
  return done(
    isUnknownOnly ? "No such send has an unknown outcome." : "No such send is remembered."
  )
})

/** What a person decides about a send of unknown outcome, by the option. */
const decisions = {
  sent: ["sent", "counts as sent from now on"],
  "not-sent": ["notSent", "counts as not sent from now on, and nothing sends it"],
  resend: ["resend", "counts as not sent from now on, and the same call may send it"]
} as const

const resolve = Effect.fnUntraced(function* (id: string, decision: keyof typeof decisions) {
  const journal = yield* SendJournal
  const [word, what] = decisions[decision]
  return (yield* Effect.catchTag(
    journal.resolve({ id: Number(id) }, word),
    "InvalidInput",
    Effect.die
  )) > 0
    ? done(`${id} ${what}.`)
    : {
        lines: [`No send that can be decided about has the id ${id}: nothing was changed.`],
        code: 1
      }
})

const prune = Effect.fnUntraced(function* (unknown: boolean, olderThan: Duration.Duration) {
  const journal = yield* SendJournal
  const count = yield* journal
    .prune({ olderThan, unknown, owner: "server" })
    .pipe(Effect.catchTags({ InvalidInput: Effect.die, CampaignUndecided: Effect.die }))
  return done(`${count} ${count === 1 ? "send was" : "sends were"} forgotten.`)
})

/** Reads the command, and returns what carries it out. */
const read = Effect.fnUntraced(function* (
  given: Given
): Effect.fn.Return<Effect.Effect<Printed, JournalError, SendJournal>, UsageError> {
  const [command = "", id = "", ...others] = given.rest
  if (others.length > 0 || (command !== "resolve" && id !== "")) {
    return yield* refuse("There are too many arguments")
  }
  const isUnknownOnly = yield* given.value("unknown")
  if (command === "sends") {
    return list(isUnknownOnly, yield* given.value("to"), yield* given.value("json"))
  }
  if (command === "prune") return prune(isUnknownOnly, yield* given.value("older-than"))
  if (command !== "resolve") {
    // The word is not repeated: it could be a secret in the wrong place.
    return yield* refuse(
      "The arguments are not understood. The commands are sends, resolve and prune; without one, the server serves. Secrets are never arguments."
    )
  }
  if (!/^\d{1,15}$/.test(id)) {
    return yield* refuse("resolve needs the id of a send, as messaging-topup-mcp sends lists it")
  }
  const [decision, ...more] = Struct.keys(decisions).filter((each) => given.isSet(each))
  return decision === undefined || more.length > 0
    ? yield* refuse("resolve needs one of --sent, --not-sent and --resend")
    : resolve(id, decision)
})

export const run = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  const carryOut = yield* read(given)
  const journal = yield* readJournal(given, environment)
  if (journal._tag === "Sqlite" && !existsSync(journal.file)) {
    // A missing file is not created: its path is probably misspelled.
    const line = `The file ${journal.file} does not exist: no send is remembered. A server with --sandbox keeps its sends in memory: give it and this command the same --journal.`
    return { lines: [line], code: 1 }
  }
  // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
  return yield* Effect.provide(carryOut, open(journal))
})
