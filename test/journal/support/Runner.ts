/**
 * The smallest correct users of a journal: a campaign, and a guarded single send.
 */
import { MessagingTopup, sendOutcome, type SendSmsRequest } from "@messaging-topup/core"
import { type Row, SendClaims, SendJournal, type Settlement } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { request } from "./ClaimRequest.ts"

/** Retries until the journal is available again, so that no outcome is lost. */
const waitForJournal = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, Schedule.spaced("50 millis"))

const send = Effect.fnUntraced(function* ({ id, request: sms }: Row) {
  const { sendSms } = yield* MessagingTopup
  const exit = yield* Effect.exit(sendSms(sms))
  const settlement: Settlement = { id, outcome: sendOutcome(exit) }
  return settlement
})

/** Returns whether the slice is done. */
const attemptSlice = Effect.fnUntraced(function* (slice: number, batch: number) {
  const journal = yield* SendJournal
  const { attempt, rows } = yield* waitForJournal(journal.begin(slice))
  let settle: ReadonlyArray<Settlement> = []
  for (let start = 0; start < rows.length; start += batch) {
    const next = rows.slice(start, start + batch)
    const claim = next.map(({ id }) => id)
    const claimed = new Set(yield* waitForJournal(journal.exchange(attempt, { settle, claim })))
    settle = yield* Effect.forEach(
      next.filter(({ id }) => claimed.has(id)),
      send,
      { concurrency: "unbounded" }
    )
  }
  yield* waitForJournal(journal.exchange(attempt, { settle, claim: [] }))
  return yield* waitForJournal(journal.end(attempt))
})

/** Attempts the slices of a campaign until all are done. */
export const runCampaign = Effect.fnUntraced(function* (campaign: string, batch: number) {
  const journal = yield* SendJournal
  while (true) {
    const open = yield* waitForJournal(journal.openSlices(campaign))
    if (open.length === 0) return
    for (const slice of open) yield* attemptSlice(slice, batch)
  }
})

/** Sends if the claim is granted. */
export const guardedSend = Effect.fnUntraced(function* (key: string, sms: SendSmsRequest) {
  const claims = yield* SendClaims
  const { sendSms } = yield* MessagingTopup
  const result = yield* waitForJournal(
    claims.claim(request(key, { staleAfter: Duration.seconds(1) }))
  )
  if (result._tag !== "Claimed") return
  const exit = yield* Effect.exit(sendSms(sms))
  const outcome = sendOutcome(exit)
  const settlement =
    outcome === "sent"
      ? ({ outcome, messages: Exit.isSuccess(exit) ? exit.value.data : [] } as const)
      : ({ outcome } as const)
  yield* waitForJournal(claims.settle(result.claim, settlement))
})
