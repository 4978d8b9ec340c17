/** The tool `list_recent_sends`: the sends of this caller. The service has no such list. */
import { type KnownSend, states, wordOf } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Journal } from "../send/Journal.ts"
import { isoOf, plural, sentences } from "../Sentences.ts"
import { isVisible } from "../Visible.ts"
import { defaultLimit, maxRecords, oneLine } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { listed } from "./ToolResult.ts"

/**
 * The rows of a batch that stand alike are one record, and other sends one each. So are those of unknown outcome: by
 * its `id`, the operator decides about each. `time` is that of the last one.
 */
const recordOf = ([last, ...others]: readonly [KnownSend, ...ReadonlyArray<KnownSend>]) => {
  const { batch, claimedAt, id, state } = last
  const sends = [last, ...others]
  const ids = batch === undefined ? last.messages.map(({ message_id }) => message_id) : []
  const visible = ids.filter(isVisible)
  return {
    time: isoOf(claimedAt),
    state: wordOf(state),
    outcome: states[state].outcome,
    segments: sends.reduce((sum, { segments = 0 }) => sum + segments, 0),
    ...(batch === undefined ? {} : { batch_id: batch, recipients: sends.length }),
    ...(visible.length === 0 ? {} : { message_id: visible.join(", ") }),
    ...(state === "unknown" ? { id } : {})
  }
}

const recordsOf = (found: ReadonlyArray<KnownSend>) =>
  [
    ...Map.groupBy(found, ({ batch, id, state }) =>
      batch === undefined || state === "unknown" ? id : batch + state
    ).values()
  ].flatMap(([last, ...others]) => (last === undefined ? [] : [recordOf([last, ...others])]))

const operator =
  "The person who runs the server can decide on an unknown one with messaging-topup resolve --id and its id."

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description: "Lists your sends, newest first, without numbers and texts.",
  annotations: Tool.local,
  input: Schema.Struct({
    // A time without a zone is that of UTC, as in results.
    since: Schema.optionalKey(
      Schema.String.annotate({ description: "ISO time" }).pipe(
        Schema.decodeTo(Schema.DateTimeUtcFromString)
      )
    ),
    recipient: Schema.optionalKey(oneLine(Schema.String.annotate({ description: "Only to it" }))),
    limit: maxRecords
  }),
  output: { total: "integer", data: "array" },
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, recipient, since }, caller) {
    const { use } = yield* Journal
    const { recipientDigest, server } = yield* use(Effect.succeed)
    const filter = {
      caller: caller.id,
      ...(since === undefined ? {} : { since: DateTime.toEpochMillis(since) }),
      ...(recipient === undefined ? {} : { recipient: recipientDigest(recipient) })
    }
    const total = yield* use(() => server.count(filter))
    const newest = yield* use(() => server.recent({ ...filter, limit }))
    // A batch of which the limit shows a part would look like a smaller one.
    const batch = newest.length < total ? newest.at(-1)?.batch : undefined
    const rest =
      batch === undefined ? [] : yield* use(() => server.recent({ ...filter, batch, limit: total }))
    const found =
      batch === undefined ? newest : [...newest.filter((each) => each.batch !== batch), ...rest]
    const unknown = found.filter(({ state }) => state === "unknown").length
    const records = listed(recordsOf(found), { "beyond the limit": total - found.length })
    return {
      message: sentences(
        total === 0
          ? "This server remembers no such send of yours."
          : `${plural(total, "send")} of yours; ${found.length} listed${unknown === 0 ? "" : `, ${unknown} of unknown outcome`}.`,
        "It does not remember everything: most of what did not go out is forgotten."
      ),
      ...(unknown === 0 ? {} : { next: operator }),
      total,
      now: isoOf(yield* Clock.currentTimeMillis),
      ...records
    }
  })
})
