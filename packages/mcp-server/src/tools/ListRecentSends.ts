/**
 * The tool `list_recent_sends`: the sends of this caller. The service has no such list.
 */
import type { KnownSend } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { invalidArguments, isoOf } from "../send/Refusal.ts"
import { SendGuard } from "../send/SendGuard.ts"
import { SendMemory } from "../send/SendMemory.ts"
import { isVisible, plural, sentences } from "../send/Text.ts"
import { filled, defaultLimit, maxRecords } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"
import { listed } from "./ToolResult.ts"
import * as ToolSchema from "./ToolSchema.ts"

const Output = Schema.Struct({
  total: Schema.Int,
  returned: Schema.Int,
  remembers_since: Schema.optionalKey(Schema.String),
  next_cursor: Schema.optionalKey(Schema.String),
  data: ToolSchema.Records
})

const outcomes = {
  sent: "sent",
  "in-flight": "sending",
  unknown: "unknown"
} as const

type Listed = KnownSend & { readonly state: keyof typeof outcomes }

/** Sends that the operator resolved as not sent are left out. */
const isListed = (send: KnownSend): send is Listed =>
  send.state !== "rejected" && send.state !== "resend"

/** One send is one record. */
const recordOf = Effect.fnUntraced(function* ({ claimedAt, id, key, messages, state }: Listed) {
  const guard = yield* SendGuard
  const ids = messages.map(({ message_id }) => message_id).filter(isVisible)
  return {
    time: isoOf(claimedAt),
    outcome: outcomes[state],
    ...(ids.length === 0 ? {} : { message_id: ids.join(", ") }),
    ...(state === "unknown" ? { id } : {}),
    ...(yield* guard.glimpseOf(key))
  }
})

/** A time without a zone is that of UTC, as in results. */
const timeOf = (text: string | undefined) =>
  text === undefined
    ? Effect.undefined
    : Effect.mapError(Effect.fromOption(DateTime.make(text)), () =>
        invalidArguments("since: give a time such as 2026-01-15T09:30:00Z")
      ).pipe(Effect.map(DateTime.toEpochMillis))

const operator =
  "The person who runs the server can decide on an unknown one with messaging-topup-mcp resolve and its id."

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description:
    "Lists what this server sent for you, newest first; lately also how recipient ends and text begins. Free; sends nothing.",
  annotations: Tool.local,
  input: Schema.Struct({
    since: Schema.optionalKey(filled(Schema.String.annotate({ description: "ISO time" }))),
    cursor: Schema.optionalKey(filled(Schema.String.annotate({ description: "next_cursor" }))),
    limit: maxRecords
  }),
  output: Output,
  run: Effect.fnUntraced(function* ({ cursor, limit = defaultLimit, since }, { principal }) {
    const memory = yield* SendMemory
    const from = yield* timeOf(since)
    const filter = { principal, ...(from === undefined ? {} : { since: from }) }
    const found = yield* memory.recent(
      { ...filter, ...(cursor === undefined ? {} : { before: cursor }) },
      limit
    )
    const { total } = yield* memory.count(filter)
    const { oldestAt = yield* Clock.currentTimeMillis } = yield* memory.count({ principal })
    const sends = found.filter(isListed)
    const unknown = sends.filter(({ state }) => state === "unknown").length
    const records = listed(yield* Effect.forEach(sends, recordOf))
    const isCut = records.data.length < sends.length
    const last = isCut ? sends[records.data.length - 1] : found.at(-1)
    return {
      message: sentences(
        total === 0
          ? "This server remembers no such send of yours."
          : `${plural(total, "send")} of yours${since === undefined ? "" : " since then"}; ${sends.length} listed${unknown === 0 ? "" : `, ${unknown} of unknown outcome`}.`,
        "What was sent before remembers_since, or did not go out, is not known here."
      ),
      ...(unknown === 0 ? {} : { next: operator }),
      total,
      returned: records.data.length,
      remembers_since: isoOf(oldestAt),
      ...(last !== undefined && (isCut || found.length === limit) ? { next_cursor: last.id } : {}),
      ...records
    }
  })
})
