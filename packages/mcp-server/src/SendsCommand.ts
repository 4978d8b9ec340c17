/**
 * The operator's view of what was sent, and the decision on what is unknown.
 */
import { type JournalError, type KnownSend, SendClaims } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { isoOf } from "./Refusal.ts"
import { journalOf } from "./send/State.ts"
import type { SendsSettings } from "./settings/Settings.ts"
import { visible } from "./Text.ts"

const mostListed = 1_000

const factsOf = ({ claimedAt, id, messages, principal, state }: KnownSend) => ({
  id,
  time: isoOf(claimedAt),
  outcome: state === "accepted" ? "sent" : state,
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
  isUnknownOnly ? "No send is of unknown outcome." : "No send is remembered."

interface Printed {
  readonly text: string
  readonly code: number
}

/** A mistyped path must not become a new and empty file. */
export const run = (settings: SendsSettings): Effect.Effect<Printed, JournalError> => {
  const { state } = settings
  return state._tag === "Sqlite" && !existsSync(state.file)
    ? Effect.succeed({ text: `There is no ${state.file}: no send is remembered.`, code: 1 })
    : read(settings)
}

const read = (settings: SendsSettings): Effect.Effect<Printed, JournalError> =>
  Effect.gen(function* () {
    const claims = yield* SendClaims
    if (settings._tag === "Resolve") {
      const { id, isSent } = settings
      const isDone = yield* claims.resolve(id, isSent ? "accepted" : "resend")
      return isDone
        ? { text: `${id} counts as ${isSent ? "sent" : "not sent"} from now on.`, code: 0 }
        : { text: `${id} is no send of unknown outcome: nothing was changed.`, code: 1 }
    }
    const { isJson, isUnknownOnly } = settings
    const sends = yield* claims.recent({ unknown: isUnknownOnly }, mostListed)
    if (isJson) {
      return { text: sends.map((send) => JSON.stringify(factsOf(send))).join("\n"), code: 0 }
    }
    return { text: sends.length === 0 ? none(isUnknownOnly) : table(sends), code: 0 }
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(journalOf(settings.state))
  )
