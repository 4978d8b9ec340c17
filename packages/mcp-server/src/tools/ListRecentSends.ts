/** The tool `list_recent_sends`: the sends of this caller. The service has no such list. */
import { type KnownSend, states, wordOf } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Journal } from "../send/Journal.ts"
import { isoOf, plural, sentences } from "../Sentences.ts"
import { isVisible } from "../Visible.ts"
import * as Batches from "./Batches.ts"
import { defaultLimit, maxRecords, oneLine } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { listed } from "./ToolResult.ts"

/** Of so many batches a sentence says how many SMS have no send: the records have the rest. */
const maxMissing = 5

interface Listed {
  readonly sends: ReadonlyArray<KnownSend>
  readonly batch?: string
}

/** `time` is that of the last one. */
const recordOf = ({ batch, sends }: Listed) => {
  const [last, ...others] = sends
  if (last === undefined) return []
  const { id, state } = last
  const time = others.reduce((latest, { claimedAt }) => Math.max(latest, claimedAt), last.claimedAt)
  const ids = batch === undefined ? last.messages.map(({ message_id }) => message_id) : []
  const visible = ids.filter(isVisible)
  return [
    {
      time: isoOf(time),
      state: wordOf(state),
      outcome: states[state].outcome,
      segments: sends.reduce((sum, { segments = 0 }) => sum + segments, 0),
      ...(batch === undefined
        ? {}
        : { batch_id: batch, batch_total: Batches.sizeOf(batch), recipients: sends.length }),
      ...(visible.length === 0 ? {} : { message_id: visible.join(", ") }),
      ...(state === "unknown" ? { id } : {})
    }
  ]
}

/** Those of a batch that stand alike are one record; by the `id` of an unknown one, the operator decides about it. */
const ofBatch = ([batch, known]: readonly [string, ReadonlyArray<KnownSend>]) =>
  [...Map.groupBy(known, ({ id, state }) => (state === "unknown" ? id : state)).values()].map(
    (sends): Listed => ({ batch, sends })
  )

const operator =
  "The person who runs the server can decide about an unknown one with messaging-topup resolve --id and its id."

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description: "Lists your sends, newest first, without numbers and texts.",
  annotations: Tool.local,
  input: Schema.Struct({
    recipient: Schema.optionalKey(oneLine(Schema.String.annotate({ description: "Only to it" }))),
    limit: maxRecords
  }),
  output: { total: "integer", data: "array" },
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, recipient }, caller) {
    const { use } = yield* Journal
    const { recipientDigest, server } = yield* use(Effect.succeed)
    const digest = recipient === undefined ? undefined : recipientDigest(recipient)
    const filter = { caller: caller.id, ...(digest === undefined ? {} : { recipient: digest }) }
    const total = yield* use(() => server.count(filter))
    const newest = yield* use(() => server.recent({ ...filter, limit }))
    // A batch of which the limit shows a part would look like a smaller one.
    const batches = yield* Batches.read(
      [...new Set(newest.flatMap(({ batch }) => batch ?? []))],
      caller
    )
    const shown = [...batches].map(
      ([batch, known]) =>
        [batch, known.filter((each) => digest === undefined || each.recipient === digest)] as const
    )
    const single = newest.filter(({ batch }) => batch === undefined)
    const found = [...single.map((send): Listed => ({ sends: [send] })), ...shown.flatMap(ofBatch)]
    const records = found
      .flatMap(recordOf)
      .toSorted((one, other) => other.time.localeCompare(one.time))
    const sends = new Set([...newest, ...found.flatMap((each) => each.sends)].map(({ id }) => id))
    const unknown = found.filter(({ sends: [send] }) => send?.state === "unknown").length
    const missing = [...batches].flatMap(([batch, known]) => {
      const size = Batches.sizeOf(batch) ?? 0
      return digest === undefined && size > known.length
        ? [`Batch ${batch} had ${size} SMS: ${Batches.withoutSend(size - known.length)}.`]
        : []
    })
    return {
      message: sentences(
        total === 0
          ? "This server knows no such send of this caller."
          : `This caller has ${plural(total, "send")}, of which ${sends.size === total ? "all" : sends.size} are listed.`,
        unknown === 0 ? "" : `Of unknown outcome: ${unknown}.`,
        ...missing.slice(0, maxMissing),
        "What went out, or may have, is listed; most of what did not go out is forgotten."
      ),
      ...(unknown === 0 ? {} : { next: operator }),
      total,
      now: isoOf(yield* Clock.currentTimeMillis),
      ...listed({ data: records }, { "beyond the limit": total - sends.size })
    }
  })
})
