/**
 * The columns of a campaign's row. Statements and decoders take them from here.
 */
import { SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { RowCounts } from "./CampaignJournal.ts"
import { type Row, rowStates, type Settlement } from "./Row.ts"
import type { Result } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"

/** The fields of a request, in the order of the service description. Each has a column of its name. */
export const fields = Struct.keys(SendSmsRequest.fields)

/** What a settlement stores besides the outcome. The compiler asks for each of them. */
export const details = Struct.keys({
  info: "text",
  message_id: "text",
  status: "text"
} satisfies Readonly<Record<Exclude<keyof Settlement, "id" | "outcome">, string>>)

const Text = Schema.optionalKey(Schema.String)

/** The compiler asks for a column of each field of `Row`. */
const columns = {
  id: Integer,
  key: Schema.String,
  line: Schema.optionalKey(Integer),
  state: Schema.Literals(rowStates),
  tries: Integer,
  at: Integer,
  info: Text,
  message_id: Text,
  status: Text,
  final_at: Schema.optionalKey(Integer)
} satisfies Readonly<Record<Exclude<keyof Row, "isFinal" | "request"> | "final_at", unknown>>

export const RowStates = Schema.Literals(rowStates)

export const CampaignStates = Schema.Literals(["loading", "running", "paused", "cancelled"])

export const noRows: RowCounts = { pending: 0, attempting: 0, sent: 0, rejected: 0, unknown: 0 }

export const rowColumns = [...Struct.keys(columns), ...fields].join(", ")

const StoredRow = Schema.Struct({ ...columns, request: SendSmsRequest })

const rowOf = ({ final_at, ...row }: typeof StoredRow.Type): Row =>
  row.status === undefined ? row : { ...row, isFinal: final_at !== undefined }

/** The columns of the request are beside the others. */
const decode = decoderOf(StoredRow, (row) => ({ ...row, request: row }))

export const decodeRows = (result: Result) =>
  Effect.map(decode(result), (stored) => stored.map(rowOf))

/** Decodes the key and the request of stored rows. */
export const decodeRequests = decoderOf(
  Schema.Struct({ key: Schema.String, ...SendSmsRequest.fields })
)

/** Decodes the key, the state and the request of stored rows. */
export const decodeStates = decoderOf(
  Schema.Struct({ key: Schema.String, state: RowStates, ...SendSmsRequest.fields })
)
