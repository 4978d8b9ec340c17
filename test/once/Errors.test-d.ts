import type {
  ConnectionLost,
  InvalidInput,
  MessagingTopup,
  SendSmsError
} from "@messaging-topup/core"
import {
  type CampaignPruned,
  type CampaignUndecided,
  type Decision,
  type JournalLocked,
  type JournalUnavailable,
  type KeyConflict,
  type OutcomeUnknown,
  type Row,
  type SendClosed,
  sendMany,
  type SendManyResult,
  type SendJournal,
  type SentOnce,
  type ToResolve
} from "@messaging-topup/journal"
import type { Journal, ToPrune } from "@messaging-topup/journal/promise"
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expectTypeOf, it } from "vitest"

type Service = SendJournal["Service"]
type ErrorOf<Name extends keyof Service> = Effect.Error<ReturnType<Service[Name]>>

type JournalErrors = JournalLocked | JournalUnavailable

describe("the error channel of the journal is exactly", () => {
  it("of sendOnce, the errors of the journal, of the key and of sendSms", () => {
    type Expected = JournalErrors | CampaignPruned | KeyConflict | OutcomeUnknown | SendClosed
    expectTypeOf<ErrorOf<"sendOnce">>().toEqualTypeOf<Expected | SendSmsError>()
  })

  it("of sendMany, the errors of the journal, of the campaign, of the options and of the rows", () => {
    const rows: Stream.Stream<Row, ConnectionLost> = Stream.empty
    const sending = sendMany(rows, { campaign: "c" })
    type Expected = JournalErrors | CampaignPruned | ConnectionLost | InvalidInput
    expectTypeOf(sending).toEqualTypeOf<
      Effect.Effect<SendManyResult, Expected, MessagingTopup | SendJournal>
    >()
    const given: ReadonlyArray<Row> = []
    expectTypeOf(sendMany(given, { campaign: "c" })).toEqualTypeOf<
      Effect.Effect<SendManyResult, Exclude<Expected, ConnectionLost>, MessagingTopup | SendJournal>
    >()
  })

  it("of resolve and prune, those of the journal and of what is given", () => {
    expectTypeOf<ErrorOf<"resolve">>().toEqualTypeOf<InvalidInput | JournalErrors>()
    type OfPrune = CampaignUndecided | InvalidInput | JournalErrors
    expectTypeOf<ErrorOf<"prune">>().toEqualTypeOf<OfPrune>()
  })
})

describe("programs have", () => {
  it("four functions of the service, and the same signatures as promises", () => {
    type Functions = "identify" | "prune" | "resolve" | "sendOnce"
    expectTypeOf<keyof Service>().toEqualTypeOf<Functions>()
    expectTypeOf<Parameters<Journal["resolve"]>>().toEqualTypeOf<Parameters<Service["resolve"]>>()
    expectTypeOf<Parameters<Journal["resolve"]>>().toEqualTypeOf<[ToResolve, Decision]>()
    expectTypeOf<Parameters<Journal["sendOnce"]>>().toEqualTypeOf<Parameters<Service["sendOnce"]>>()
    expectTypeOf<ReturnType<Journal["sendOnce"]>>().toEqualTypeOf<Promise<SentOnce>>()
    expectTypeOf<[ToPrune]>().toExtend<Parameters<Service["prune"]>>()
  })

  it("no decision about a campaign where a row of it is meant", () => {
    // @ts-expect-error -- one row is `keys: [key]`
    const wrong: ToResolve = { campaign: "c", key: "k" }
    expectTypeOf(wrong).not.toBeAny()
  })
})
