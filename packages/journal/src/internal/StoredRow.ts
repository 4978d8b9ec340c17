/**
 * Decodes stored rows of campaigns.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Schema from "effect/Schema"
import type { Row } from "../Row.ts"
import { fields } from "./Input.ts"
import { Integer, rowsOf } from "./Rows.ts"

const Text = Schema.NullOr(Schema.String)

export const RowStates = Schema.Literals(["pending", "attempting", "sent", "rejected", "unknown"])

const StoredRow = Schema.Struct({
  id: Integer,
  key: Schema.String,
  recipient: Schema.String,
  message: Schema.String,
  sender_id: Text,
  webhook_url: Text,
  scheduled_time: Text,
  state: RowStates,
  tries: Integer,
  info: Text,
  message_id: Text,
  status: Text,
  final_at: Schema.NullOr(Integer),
  at: Integer
})

export const rowColumns = Object.keys(StoredRow.fields).join(", ")

export const decodeRows = rowsOf(StoredRow)

/** Returns the request of a stored row. Fields that are null are left out. */
const requestOf = (stored: typeof StoredRow.Type): SendSmsRequest => {
  const { message, recipient } = stored
  const others = fields.flatMap((name) => {
    const value = stored[name]
    return value === null || name === "recipient" || name === "message" ? [] : [[name, value]]
  })
  return { recipient, message, ...Object.fromEntries(others) }
}

export const rowOf = (stored: typeof StoredRow.Type): Row => {
  const { at, final_at, id, info, key, message_id, state, status, tries } = stored
  return {
    id,
    key,
    request: requestOf(stored),
    state,
    tries,
    at,
    ...(info === null ? {} : { info }),
    ...(message_id === null ? {} : { message_id }),
    ...(status === null ? {} : { status, isFinal: final_at !== null })
  }
}
