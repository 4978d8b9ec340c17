/** The tool `list_recent_sends`: the sends of this caller. The service has no such list. */
import { type KnownSend, states, wordOf } from "@messaging-topup/journal/internal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Journal } from "../send/Journal.ts"
import { isoOf, isVisible, plural, sentences } from "../send/Text.ts"
import { defaultLimit, maxRecords, oneLine } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"
import { listed } from "./ToolResult.ts"

/** One send is one record. `id` is what the operator decides by. */
const recordOf = ({ claimedAt, id, messages, state }: KnownSend) => {
  const ids = messages.map(({ message_id }) => message_id).filter(isVisible)
  return {
    time: isoOf(claimedAt),
    state: wordOf(state),
    outcome: states[state].outcome,
    ...(ids.length === 0 ? {} : { message_id: ids.join(", ") }),
    ...(state === "unknown" ? { id } : {})
  }
}

const operator =
  "The person who runs the server can decide on an unknown one with messaging-topup resolve --id and its id."

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description:
    "Lists what this server sent for you, newest first, without numbers and texts. Free.",
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
    const found = yield* use(() => server.recent({ ...filter, limit }))
    const unknown = found.filter(({ state }) => state === "unknown").length
    const records = listed(found.map(recordOf), { "beyond the limit": total - found.length })
    return {
      message: sentences(
        total === 0
          ? "This server remembers no such send of yours."
          : `${plural(total, "send")} of yours; ${records.data.length} listed${unknown === 0 ? "" : `, ${unknown} of unknown outcome`}.`,
        "It does not remember everything: most of what did not go out is forgotten."
      ),
      ...(unknown === 0 ? {} : { next: operator }),
      total,
      ...records
    }
  })
})
