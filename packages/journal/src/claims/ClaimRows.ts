/**
 * The rows of single sends, and their state at a given time.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { SentSms, KnownSend } from "./Claim.ts"
import { toleranceMillis } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"

const Messages = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ message_id: Schema.String, status: Schema.String }))
)

export const Entry = Schema.Struct({
  claim: Schema.String,
  key: Schema.String,
  principal: Schema.String,
  fields: Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)),
  state: Schema.Literals(["claimed", "sent", "rejected", "unknown", "resend"]),
  claimed_at: Integer,
  stale_at: Integer,
  settled_at: Schema.optionalKey(Integer),
  expires_at: Schema.optionalKey(Integer),
  messages: Schema.optionalKey(Messages)
})

export type Entry = typeof Entry.Type

export const columns = Object.keys(Entry.fields).join(", ")

export const decodeEntries = decoderOf(Entry)

/** Returns when a period that begins now ends; null if it is infinite. */
export const expiryOf = (now: number, duration: Duration.Duration): number | null =>
  Duration.isFinite(duration) ? now + Duration.toMillis(duration) : null

export const stateOf = (entry: Entry, now: number): KnownSend["state"] => {
  if (entry.state !== "claimed") return entry.state
  const isInFlight = now < entry.stale_at && entry.claimed_at <= now + toleranceMillis
  return isInFlight ? "in-flight" : "unknown"
}

export const sendOf = (entry: Entry, now: number): KnownSend => ({
  id: entry.claim,
  key: entry.key,
  principal: entry.principal,
  state: stateOf(entry, now),
  claimedAt: entry.claimed_at,
  messages: entry.messages ?? []
})

export const differingField = (entry: Entry, fields: Readonly<Record<string, string>>) =>
  Object.keys({ ...fields, ...entry.fields }).find((name) => fields[name] !== entry.fields[name])

export const sentOf = (entry: Entry): SentSms => ({
  messages: entry.messages ?? [],
  // Without a response, a person decided later.
  at: entry.messages === undefined ? entry.claimed_at : (entry.settled_at ?? entry.claimed_at),
  ...(entry.expires_at === undefined ? {} : { until: entry.expires_at })
})

export const isExpired = ({ expires_at }: Entry, now: number): boolean =>
  expires_at !== undefined && expires_at <= now
