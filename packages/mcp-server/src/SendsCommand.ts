/**
 * Runs the commands of the operator: `sends`, `resolve` and `prune`.
 */
import {
  type JournalError,
  type KnownSend,
  SendClaims,
  SendJournal
} from "@messaging-topup/journal"
import { open } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { isoOf } from "./send/Refusal.ts"
import type { SendsSettings } from "./settings/Settings.ts"
import { escaped, visible } from "./send/Text.ts"

const maxListed = 1_000

const factsOf = ({ claimedAt, id, messages, principal, state }: KnownSend) => ({
  id,
  time: isoOf(claimedAt),
  outcome: state,
  principal,
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

const none = (isUnknownOnly: boolean): string =>
  isUnknownOnly ? "No send has an unknown outcome." : "No send is remembered."

interface Printed {
  readonly text: string
  readonly code: number
}

const done = (text: string): Printed => ({ text, code: 0 })

type SettingsOf<Tag extends SendsSettings["_tag"]> = Extract<SendsSettings, { readonly _tag: Tag }>

const list = Effect.fnUntraced(function* ({ isJson, isUnknownOnly }: SettingsOf<"Sends">) {
  const claims = yield* SendClaims
  const sends = yield* claims.recent({ unknown: isUnknownOnly }, maxListed)
  if (isJson) return done(sends.map((send) => escaped(JSON.stringify(factsOf(send)))).join("\n"))
  return done(sends.length === 0 ? none(isUnknownOnly) : table(sends))
})

const resolve = Effect.fnUntraced(function* ({ id, isSent }: SettingsOf<"Resolve">) {
  const claims = yield* SendClaims
  return (yield* claims.resolve(id, isSent ? "sent" : "resend"))
    ? done(`${id} counts as ${isSent ? "sent" : "not sent"} from now on.`)
    : { text: `No send of unknown outcome has the id ${id}: nothing was changed.`, code: 1 }
})

const prune = Effect.fnUntraced(function* ({ olderThan, what }: SettingsOf<"Prune">) {
  const journal = yield* SendJournal
  const count = yield* journal.prune(olderThan, what)
  return done(`${count} ${count === 1 ? "send was" : "sends were"} forgotten.`)
})

const carryOut = (
  settings: SendsSettings
): Effect.Effect<Printed, JournalError, SendClaims | SendJournal> => {
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
        text: `The file ${state.file} does not exist: no send is remembered. A server with --sandbox keeps its sends in memory: give it and this command the same --state sqlite:path.`,
        code: 1
      })
    : // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
      Effect.provide(carryOut(settings), open(state))
}
