/**
 * Runs the commands of the operator: `sends`, `resolve` and `prune`.
 */
import { type JournalError, type KnownSend, SendJournal } from "@messaging-topup/journal"
import { open } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as Recipient from "./send/Recipient.ts"
import { escaped, isoOf, visible } from "./send/Text.ts"
import type { SendsSettings } from "./settings/Settings.ts"

/** What a person decided has the word of its option. */
const outcomes: Readonly<Record<KnownSend["state"], string>> = {
  sent: "sent",
  "in-flight": "in-flight",
  unknown: "unknown",
  rejected: "rejected",
  closed: "not-sent",
  freed: "resend"
}

const factsOf = ({ caller = "", claimedAt, id, messages, state }: KnownSend) => ({
  id,
  time: isoOf(claimedAt),
  outcome: outcomes[state],
  principal: caller,
  message_id: messages.map(({ message_id }) => message_id)
})

const columns = ["id", "time", "outcome", "principal", "message_id"] as const

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

type SettingsOf<Tag extends SendsSettings["_tag"]> = Extract<SendsSettings, { readonly _tag: Tag }>

/** All of them: an operator decides about nothing that is hidden. */
const list = Effect.fnUntraced(function* ({ isJson, isUnknownOnly, to }: SettingsOf<"Sends">) {
  const { recipientDigest, server } = yield* SendJournal
  const sends = yield* server.recent({
    ...(isUnknownOnly ? { isUnknown: true } : {}),
    ...(to === undefined ? {} : { recipient: recipientDigest(Recipient.identity(to)) }),
    limit: Number.MAX_SAFE_INTEGER
  })
  if (isJson) return done(...sends.map((send) => escaped(JSON.stringify(factsOf(send)))))
  if (sends.length > 0) return done(table(sends))
  return done(
    isUnknownOnly ? "No such send has an unknown outcome." : "No such send is remembered."
  )
})

const decided = {
  sent: ["sent", "counts as sent from now on"],
  "not-sent": ["notSent", "counts as not sent from now on, and nothing sends it"],
  resend: ["resend", "counts as not sent from now on, and the same call sends it"]
} as const

const resolve = Effect.fnUntraced(function* ({ decision, id }: SettingsOf<"Resolve">) {
  const { server } = yield* SendJournal
  const [word, what] = decided[decision]
  return (yield* server.resolve(id, word))
    ? done(`${id} ${what}.`)
    : { lines: [`No send of unknown outcome has the id ${id}: nothing was changed.`], code: 1 }
})

const prune = Effect.fnUntraced(function* ({ olderThan, unknown }: SettingsOf<"Prune">) {
  const { server } = yield* SendJournal
  const count = yield* server.prune({ olderThan, unknown })
  return done(`${count} ${count === 1 ? "send was" : "sends were"} forgotten.`)
})

const carryOut = (settings: SendsSettings): Effect.Effect<Printed, JournalError, SendJournal> => {
  switch (settings._tag) {
    case "Sends":
      return list(settings)
    case "Resolve":
      return resolve(settings)
    case "Prune":
      return prune(settings)
  }
}

/** Does not create a missing file: its path is probably misspelled. */
export const run = (settings: SendsSettings): Effect.Effect<Printed, JournalError> => {
  const { state } = settings
  return state._tag === "Sqlite" && !existsSync(state.file)
    ? Effect.succeed({
        lines: [
          `The file ${state.file} does not exist: no send is remembered. A server with --sandbox keeps its sends in memory: give it and this command the same --state sqlite:path.`
        ],
        code: 1
      })
    : // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
      Effect.provide(carryOut(settings), open(state))
}
