/** The tool `list_recent_sends`: the sends of this caller. The service has no such list. */
import { Phone } from "@messaging-topup/core/internal"
import { decidedSo, type KnownSend, states, wordOf } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Identity } from "../send/Caller.ts"
import { Journal } from "../send/Journal.ts"
import type { Refusal } from "../send/Refusal.ts"
import { operatorDecides } from "../send/Standing.ts"
import { isoOf, plural, sentences, timeOf } from "../Sentences.ts"
import { isVisible, quoted } from "../Visible.ts"
import * as Batches from "./Batches.ts"
import { noText } from "./StatusRecords.ts"
import { defaultLimit, maxRecords, oneLine } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { leftOut, listed, tooLongReason } from "./ToolResult.ts"

/** Of so many batches a sentence says how many SMS have no send: the records have the rest. */
const maxMissing = 5

/** Each is read alone. */
export const maxRecipients = 20

interface Listed {
  readonly sends: ReadonlyArray<KnownSend>
  readonly batch?: string
  /** Set if another record of the batch says what became of these SMS. */
  readonly isOther?: boolean
  /** The recipient that was asked for, as it was written. */
  readonly recipient?: string | undefined
}

/** When the last one was claimed. */
const timeOfLast = ({ sends }: Listed): number =>
  Math.max(...sends.map(({ claimedAt }) => claimedAt))

/** What is in flight is of unknown outcome, too. */
const isOpen = ({ sends }: Pick<Listed, "sends">): boolean =>
  sends.some(Batches.hasOutcome("unknown"))

const idsOf = (all: ReadonlyArray<Listed>): ReadonlySet<number> =>
  new Set(all.flatMap(({ sends }) => sends.map(({ id }) => id)))

/** Those of unknown outcome first, which nothing hides, and of each kind the newest first. */
const inOrder = (all: ReadonlyArray<Listed>): ReadonlyArray<Listed> =>
  all.toSorted(
    (one, other) =>
      Number(isOpen(other)) - Number(isOpen(one)) || timeOfLast(other) - timeOfLast(one)
  )

const recordOf = (one: Listed, canDecide: boolean) => {
  const { batch, isOther = false, recipient, sends } = one
  const [last] = sends
  if (last === undefined) return []
  const { id, state } = last
  const reason = decidedSo(last)
  const ids = batch === undefined ? last.messages.map(({ message_id }) => message_id) : []
  const visible = ids.filter(isVisible)
  return [
    {
      ...(recipient === undefined ? {} : { recipient }),
      time: isoOf(timeOfLast(one)),
      state: wordOf(state),
      outcome: states[state].outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(Batches.mayBeOut(last)
        ? { segments: sends.reduce((sum, { segments = 0 }) => sum + segments, 0) }
        : {}),
      ...(batch === undefined
        ? {}
        : {
            batch_id: batch,
            batch_total: Batches.sizeOf(batch),
            sends: sends.length,
            recipients: new Set(sends.map(({ key }) => key)).size
          }),
      ...(isOther ? { another_send: true } : {}),
      ...(visible.length === 0 ? {} : { message_id: visible.join(", ") }),
      ...(canDecide && Batches.isUnknown(last) ? { id } : {})
    }
  ]
}

/** Those that stand alike are one record; by the `id` of an unknown one, the operator decides about it. */
const alike = (known: ReadonlyArray<KnownSend>) => [
  ...Map.groupBy(known, (send) =>
    Batches.isUnknown(send) ? send.id : `${send.state} ${decidedSo(send) ?? ""}`
  ).values()
]

const ownOf = (known: ReadonlyArray<KnownSend>, batch: string) =>
  known.filter((each) => each.batch === batch)

/** What other calls sent of it is in their own records: each send is in one. */
const ofBatch = ([batch, { last, others }]: readonly [
  string,
  Pick<Batches.Known, "last" | "others">
]) => [
  ...alike(ownOf(last, batch)).map((sends): Listed => ({ batch, sends })),
  ...alike(ownOf(others, batch)).map((sends): Listed => ({ batch, sends, isOther: true }))
]

/** The sends of a caller that a list shows, to a recipient if there is one: those of unknown outcome first. */
const find = Effect.fnUntraced(function* (
  caller: Identity,
  limit: number,
  recipient?: string
): Effect.fn.Return<Found, Refusal, Journal> {
  const { use } = yield* Journal
  const { recipientDigest, server } = yield* use(Effect.succeed)
  const digest = recipient === undefined ? undefined : recipientDigest(recipient)
  const filter = { caller: caller.id, ...(digest === undefined ? {} : { recipient: digest }) }
  // Read before what they may become, so that none is missed. What is read last of a send counts.
  const inFlight = yield* use(() => server.inFlight(filter))
  const total = yield* use(() => server.count(filter))
  const totalUnknown = yield* use(() => server.count({ ...filter, isUnknown: true }))
  const unknown = yield* use(() => server.recent({ ...filter, isUnknown: true, limit }))
  const newest = yield* use(() => server.recent({ ...filter, limit }))
  const latest = new Map([...inFlight, ...unknown, ...newest].map((send) => [send.id, send]))
  const first = inOrder([...latest.values()].map((send) => ({ sends: [send] })))
    .flatMap(({ sends }) => sends)
    .slice(0, limit)
  // A batch of which the limit shows a part would look like a smaller one.
  const batches = yield* Batches.read(
    [...new Set(first.flatMap(({ batch }) => batch ?? []))],
    caller
  )
  const isAskedFor = (send: KnownSend) => digest === undefined || send.recipient === digest
  const shown = [...batches].map(
    ([batch, { last, others }]) =>
      [batch, { last: last.filter(isAskedFor), others: others.filter(isAskedFor) }] as const
  )
  const single = first.filter(({ batch }) => batch === undefined)
  const now = [...single.map((send): Listed => ({ sends: [send] })), ...shown.flatMap(ofBatch)]
  const told = idsOf(now)
  // Of an earlier day: the same call has the same batch.
  const older = Map.groupBy(
    first.filter(({ id }) => !told.has(id)),
    ({ batch }) => batch
  )
  const records = [
    ...now,
    ...[...older].flatMap(([batch, all]) =>
      alike(all).map((sends): Listed => ({ ...(batch && { batch }), sends, isOther: true }))
    )
  ]
  const missing = [...batches].flatMap(([batch, { last }]) => {
    const size = Batches.sizeOf(batch) ?? 0
    return digest === undefined && size > last.length
      ? [`Batch ${batch} had ${size} SMS: ${Batches.withoutSend(size - last.length)}.`]
      : []
  })
  return { recipient, total, totalUnknown, inFlight, records, missing }
})

interface Found {
  readonly recipient: string | undefined
  readonly total: number
  /** How many of all are in the state unknown. */
  readonly totalUnknown: number
  /** All that are in flight. */
  readonly inFlight: ReadonlyArray<KnownSend>
  readonly records: ReadonlyArray<Listed>
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

const someListed = (shown: number): string =>
  `, of which ${shown} ${shown === 1 ? "is" : "are"} listed`

const counted = (total: number, shown: number, isAnyAsked: boolean): string => {
  if (total > 0) {
    return `This caller has ${plural(total, "send")}${shown === total ? ", of which all are listed" : someListed(shown)}.`
  }
  return isAnyAsked ? "" : "This server knows no send of this caller."
}

export const listRecentSends = Tool.make({
  name: "list_recent_sends",
  title: "List recent sends",
  description: "Lists your sends, unknown first, without numbers and texts.",
  annotations: Tool.local,
  input: Schema.Struct({
    recipients: Schema.optionalKey(
      Schema.Array(oneLine(Schema.String))
        .annotate({
          description: `At most ${maxRecipients}; records say to which`
        })
        .check(
          Schema.makeFilter((given: ReadonlyArray<string>) =>
            given.length > maxRecipients
              ? `Expected at most ${maxRecipients}: give the others in another call`
              : undefined
          )
        )
    ),
    limit: maxRecords
  }),
  output: { total: "integer", data: "array" },
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, recipients = [] }, caller) {
    const { canDecide, since } = yield* Journal
    const isAnyAsked = recipients.length > 0
    // One number in two spellings would be counted twice.
    const asked = new Map(recipients.map((each) => [Phone.wideForm(each), each])).values()
    const found = yield* Effect.forEach(isAnyAsked ? asked : [undefined], (each) =>
      find(caller, limit, each)
    )
    const sum = (of: (each: Found) => number) => found.reduce((all, each) => all + of(each), 0)
    const total = sum((each) => each.total)
    const totalUnknown = sum((each) => each.totalUnknown)
    const inFlight = found.flatMap((each) => each.inFlight)
    const totalOpen = totalUnknown + inFlight.length
    const all = inOrder(
      found.flatMap(({ recipient, records: each }) => each.map((one) => ({ ...one, recipient })))
    )
    const { data = [] } = listed({ data: all.flatMap((one) => recordOf(one, canDecide)) })
    // As many as one result can hold.
    const held = all.slice(0, data.length)
    const shown = idsOf(held).size
    const shownOpen = idsOf(held.filter(isOpen)).size
    const next = sentences(
      shown === total ? "" : "A higher limit, or recipients, shows others.",
      Batches.inFlightAdvice(inFlight),
      totalUnknown === 0 ? "" : operatorDecides(canDecide),
      held.some(({ sends }) => sends.some(Batches.hasOutcome("sent"))) ? noText : ""
    )
    return {
      message: sentences(
        counted(total, shown, isAnyAsked),
        totalOpen === 0
          ? ""
          : `Of unknown outcome: ${totalOpen}${shownOpen === totalOpen ? "" : someListed(shownOpen)}.`,
        withoutSend(found),
        ...found.flatMap(({ missing }) => missing).slice(0, maxMissing),
        `This server remembers${since === undefined ? "" : `, only since it started at ${timeOf(since)},`} what the service accepted (perhaps for a later time) or may have, and forgets most of what did not go out.`
      ),
      ...(next === "" ? {} : { next }),
      total,
      now: isoOf(yield* Clock.currentTimeMillis),
      data,
      // Of sends, as the total: a record of a batch has several.
      ...leftOut({
        [tooLongReason]: idsOf(all).size - shown,
        "beyond the limit": total - idsOf(all).size
      })
    }
  })
})
