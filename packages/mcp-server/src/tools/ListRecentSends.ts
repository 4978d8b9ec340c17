/** The tool `list_recent_sends`: the sends of this caller. The service has no such list. */
import { Phone } from "@messaging-topup/core/internal"
import { type KnownSend, states, wordOf } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Identity } from "../send/Caller.ts"
import { Journal } from "../send/Journal.ts"
import type { Refusal } from "../send/Refusal.ts"
import { operatorDecides } from "../send/Standing.ts"
import { isoOf, plural, sentences } from "../Sentences.ts"
import { isVisible, quoted } from "../Visible.ts"
import * as Batches from "./Batches.ts"
import { defaultLimit, maxRecords, oneLine } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { listed } from "./ToolResult.ts"

/** Of so many batches a sentence says how many SMS have no send: the records have the rest. */
const maxMissing = 5

/** Each is read alone. */
const maxRecipients = 20

interface Listed {
  readonly sends: ReadonlyArray<KnownSend>
  readonly batch?: string
  /** Set if another record of the batch says what became of these SMS. */
  readonly isOther?: boolean
  /** The recipient that was asked for, as it was written. */
  readonly recipient?: string | undefined
}

/** `time` is that of the last one. */
const recordOf = ({ batch, isOther = false, recipient, sends }: Listed) => {
  const [last, ...others] = sends
  if (last === undefined) return []
  const { id, state } = last
  const time = others.reduce((latest, { claimedAt }) => Math.max(latest, claimedAt), last.claimedAt)
  const ids = batch === undefined ? last.messages.map(({ message_id }) => message_id) : []
  const visible = ids.filter(isVisible)
  return [
    {
      ...(recipient === undefined ? {} : { recipient }),
      time: isoOf(time),
      state: wordOf(state),
      outcome: states[state].outcome,
      segments: sends.reduce((sum, { segments = 0 }) => sum + segments, 0),
      ...(batch === undefined
        ? {}
        : {
            batch_id: batch,
            batch_total: Batches.sizeOf(batch),
            recipients: new Set(sends.map(({ key }) => key)).size
          }),
      ...(isOther ? { another_send: true } : {}),
      ...(visible.length === 0 ? {} : { message_id: visible.join(", ") }),
      ...(Batches.isUnknown(last) ? { id } : {})
    }
  ]
}

/** Those that stand alike are one record; by the `id` of an unknown one, the operator decides about it. */
const alike = (known: ReadonlyArray<KnownSend>) => [
  ...Map.groupBy(known, (send) => (Batches.isUnknown(send) ? send.id : send.state)).values()
]

const ownOf = (known: ReadonlyArray<KnownSend>, batch: string) =>
  known.filter((each) => each.batch === batch)

/** What other calls sent of it is in their own records: each send is in one. */
const ofBatch = ([batch, { last, others }]: readonly [string, Batches.Known]) => [
  ...alike(ownOf(last, batch)).map((sends): Listed => ({ batch, sends })),
  ...alike(ownOf(others, batch)).map((sends): Listed => ({ batch, sends, isOther: true }))
]

/** The last sends of a caller, to a recipient if there is one. */
const find = Effect.fnUntraced(function* (
  caller: Identity,
  limit: number,
  recipient?: string
): Effect.fn.Return<Found, Refusal, Journal> {
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
  const isAskedFor = (send: KnownSend) => digest === undefined || send.recipient === digest
  const shown = [...batches].map(
    ([batch, { last, others }]) =>
      [batch, { last: last.filter(isAskedFor), others: others.filter(isAskedFor) }] as const
  )
  const single = newest.filter(({ batch }) => batch === undefined)
  const now = [...single.map((send): Listed => ({ sends: [send] })), ...shown.flatMap(ofBatch)]
  const told = new Set(now.flatMap((each) => each.sends.map(({ id }) => id)))
  // Of an earlier day: the same call has the same batch.
  const older = Map.groupBy(
    newest.filter(({ id }) => !told.has(id)),
    ({ batch }) => batch
  )
  const records = [
    ...now,
    ...[...older].flatMap(([batch, all]) =>
      alike(all).map((sends): Listed => ({ ...(batch && { batch }), sends, isOther: true }))
    )
  ]
  const sends = new Set(records.flatMap((each) => each.sends.map(({ id }) => id)))
  const missing = [...batches].flatMap(([batch, { last }]) => {
    const size = Batches.sizeOf(batch) ?? 0
    return digest === undefined && size > last.length
      ? [`Batch ${batch} had ${size} SMS: ${Batches.withoutSend(size - last.length)}.`]
      : []
  })
  return { recipient, total, records, shown: sends.size, missing }
})

interface Found {
  readonly recipient: string | undefined
  readonly total: number
  readonly records: ReadonlyArray<Listed>
  /** How many sends the records are about. */
  readonly shown: number
  readonly missing: ReadonlyArray<string>
}

/** Of each recipient that has no send. */
const withoutSend = (found: ReadonlyArray<Found>): string => {
  const none = found.flatMap(({ recipient, total }) =>
    total === 0 && recipient !== undefined ? [recipient] : []
  )
  const isNational = !none.every(Phone.isInternational)
  return sentences(
    none.length === 0
      ? ""
      : `This server knows no send of this caller to ${none.map((each) => quoted(each)).join(", ")}.`,
    isNational
      ? "Numbers are compared by their digits: without country code, it is another one."
      : ""
  )
}

const counted = (total: number, shown: number, isAnyAsked: boolean): string => {
  if (total > 0) {
    return `This caller has ${plural(total, "send")}, of which ${shown === total ? "all" : shown} are listed.`
  }
  return isAnyAsked ? "" : "This server knows no send of this caller."
}

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description: "Lists your sends, newest first, without numbers and texts.",
  annotations: Tool.local,
  input: Schema.Struct({
    recipients: Schema.optionalKey(
      Schema.Array(oneLine(Schema.String))
        .annotate({ description: "Only to these; each record says to which" })
        .check(
          Schema.makeFilter((given: ReadonlyArray<string>) =>
            given.length > maxRecipients ? `Expected at most ${maxRecipients}` : undefined
          )
        )
    ),
    limit: maxRecords
  }),
  output: { total: "integer", data: "array" },
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, recipients = [] }, caller) {
    const isAnyAsked = recipients.length > 0
    // One number in two spellings would be counted twice.
    const asked = new Map(recipients.map((each) => [Phone.wideForm(each), each])).values()
    const found = yield* Effect.forEach(isAnyAsked ? asked : [undefined], (each) =>
      find(caller, limit, each)
    )
    const sum = (of: (each: Found) => number) => found.reduce((all, each) => all + of(each), 0)
    const total = sum((each) => each.total)
    const shown = sum((each) => each.shown)
    const all = found.flatMap(({ recipient, records: each }) =>
      each.map((one) => ({ ...one, recipient }))
    )
    const records = all
      .flatMap(recordOf)
      .toSorted((one, other) => other.time.localeCompare(one.time))
    const unknown = all.filter(({ sends }) => sends.some(Batches.isUnknown)).length
    return {
      message: sentences(
        counted(total, shown, isAnyAsked),
        unknown === 0 ? "" : `Of unknown outcome: ${unknown}.`,
        withoutSend(found),
        ...found.flatMap(({ missing }) => missing).slice(0, maxMissing),
        "What went out, or may have, is listed; most of what did not go out is forgotten."
      ),
      ...(unknown === 0 ? {} : { next: operatorDecides }),
      total,
      now: isoOf(yield* Clock.currentTimeMillis),
      ...listed({ data: records }, { "beyond the limit": total - shown })
    }
  })
})
