/**
 * The tool `list_recent_sends`: the sends of this caller. The service has no such list.
 */
import type { KnownSend } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { listed } from "./ToolResult.ts"
import { isoOf } from "../send/Refusal.ts"
import { isVisible } from "../send/Text.ts"
import * as Scopes from "./Scopes.ts"
import { SendMemory } from "../send/SendMemory.ts"
import { limitWithDefault } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"

const defaultLimit = 20

const Output = Schema.Struct({
  returned: Schema.Int,
  data: Schema.Array(
    Schema.Struct({
      time: Schema.String,
      outcome: Schema.Literals(["sent", "unknown", "sending"]),
      message_id: Schema.optionalKey(Schema.String),
      id: Schema.optionalKey(Schema.String)
    })
  )
})

const outcomes = {
  sent: "sent",
  "in-flight": "sending",
  unknown: "unknown"
} as const

type Record = (typeof Output.Type)["data"][number]

/** Sends that the operator resolved as not sent are left out. */
const recordsOf = ({ claimedAt, id, messages, state }: KnownSend): ReadonlyArray<Record> => {
  if (state === "rejected" || state === "resend") return []
  const common = { time: isoOf(claimedAt), outcome: outcomes[state] }
  if (state === "unknown") return [{ ...common, id }]
  const ids = messages.map(({ message_id }) => message_id).filter(isVisible)
  return ids.length === 0 ? [common] : ids.map((message_id) => ({ ...common, message_id }))
}

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description:
    "Lists what this server sent for you, newest first, without numbers and texts. Free; sends nothing. The service itself has no such list.",
  annotations: { ...Tool.readOnly, openWorldHint: false },
  scope: Scopes.messagesRead,
  input: Schema.Struct({
    limit: limitWithDefault(defaultLimit)
  }),
  output: Output,
  run: Effect.fnUntraced(function* ({ limit = defaultLimit }, { principal }) {
    const memory = yield* SendMemory
    const sends = (yield* memory.recent(principal, limit)).flatMap(recordsOf)
    const unknown = sends.filter(({ outcome }) => outcome === "unknown").length
    const records = listed(sends)
    return {
      message:
        sends.length === 0
          ? "This server remembers no send of yours."
          : `Your last ${sends.length === 1 ? "send" : `${sends.length} sends`}${unknown === 0 ? "" : `, ${unknown} of unknown outcome`}.`,
      ...(unknown === 0
        ? {}
        : {
            next: "The person who runs the server can decide on an unknown one with messaging-topup-mcp resolve and its id."
          }),
      returned: records.data.length,
      ...records
    }
  })
})
