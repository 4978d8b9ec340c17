/**
 * The smallest correct user of a campaign's sends: it claims rows, sends them, and settles them with the next.
 */
import { endOfSend, MessagingTopup, OnRequestStart } from "@messaging-topup/core"
import { campaignKey, endingOf, SendJournal, type Turn } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"

export const campaign = "c"

/** One row of ten meets a forced failure of the sandbox. */
const failingEnds = ["0900", "0500", "0402", "0902", "0400"]

const rowOf = (index: number) => {
  const isFailing = index % 10 === 0
  const end = isFailing ? failingEnds[(index / 10) % failingEnds.length] : ""
  const recipient = isFailing ? `+1555000${end}` : `+2332${String(index).padStart(8, "0")}`
  return { key: `r${String(index).padStart(6, "0")}`, sms: { recipient, message: `row ${index}` } }
}

/** Retries until the journal is available again, so that no outcome is lost. */
const waitForJournal = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, Schedule.spaced("50 millis"))

/** Sends the rows that are free, `batch` at a time. */
export const sendRows = Effect.fnUntraced(function* (count: number, batch: number) {
  const journal = yield* SendJournal
  const { sendSms, timeoutMillis = 1000 } = yield* MessagingTopup
  const { begin, exchange, look } = journal.campaigns
  yield* waitForJournal(begin(campaign))
  let settle: Turn["settle"] = []
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: Math.min(batch, count - from) }, (_, index) => {
      const { key, sms } = rowOf(from + index)
      const request = journal.requestDigest(campaignKey(campaign, key), sms)
      return { key, sms, request, recipient: journal.recipientDigest(sms.recipient) }
    })
    const standings = yield* waitForJournal(look(campaign, rows))
    const claim = rows.flatMap(({ sms: _sms, ...row }, index) => {
      const { state, turn } = standings[index] ?? {}
      return state === "free" && turn !== undefined ? [{ ...row, turn }] : []
    })
    const turn = { settle, claim, token: randomUUID(), timeoutMillis }
    const { claims, mayStart } = yield* waitForJournal(exchange(campaign, turn))
    const send = ({ key, sms }: (typeof rows)[number]) => {
      const own = claims.get(key)
      return own === undefined
        ? Effect.succeed([])
        : endOfSend(sendSms(sms)).pipe(
            Effect.provideService(OnRequestStart, mayStart),
            Effect.map((end) => [{ claim: own, ending: endingOf(end) }])
          )
    }
    settle = (yield* Effect.forEach(rows, send, { concurrency: "unbounded" })).flat()
  }
  const last = { settle, claim: [], token: randomUUID(), timeoutMillis }
  yield* waitForJournal(exchange(campaign, last))
})
