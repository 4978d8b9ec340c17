/**
 * What the command cannot show of a plan: another process that sends in the middle of it.
 */
import { expect, it } from "@effect/vitest"
import * as Plan from "@messaging-topup/campaign/src/cli/Plan.ts"
import { Invocation } from "@messaging-topup/campaign/src/cli/Invocation.ts"
import * as Source from "@messaging-topup/campaign/src/input/Source.ts"
import { keyed, recipientOf } from "@messaging-topup/campaign/src/sending/Row.ts"
import { layerMemory, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { PassThrough } from "node:stream"
import { rowOf } from "../harness/campaign/Rows.ts"

it.effect("a row that another process sends while the plan is made is no repetition", () =>
  Effect.gen(function* () {
    const journal = yield* SendJournal
    const { campaigns } = journal
    yield* campaigns.begin("c")
    const row = rowOf(1)
    const claim = [{ ...keyed(journal, "c", row), turn: 0, recipient: recipientOf(journal, row) }]
    const turn = { settle: [], claim, token: "another process", timeoutMillis: 1000 }
    const recipients: typeof campaigns.recipients = (campaign, page) =>
      Effect.andThen(campaigns.exchange("c", turn), campaigns.recipients(campaign, page))
    const rows = Stream.succeed({
      _tag: "Row",
      line: 2,
      given: [],
      row,
      isSecondToRecipient: false
    } as const)
    const list = {
      source: Source.file("rows.csv"),
      encoding: "utf-8" as const,
      hasExclusions: false,
      reading: {},
      header: [],
      allowRepeats: false,
      rows,
      everyRow: rows
    }
    const options = { campaign: "c", lists: false, retryRejected: false }
    const plan = yield* Plan.make(list, options).pipe(
      Effect.provideService(SendJournal, { ...journal, campaigns: { ...campaigns, recipients } })
    )
    expect(plan).toMatchObject({ again: 0, states: { free: 0, "in-flight": 1 } })
  }).pipe(
    Effect.provide(layerMemory),
    Effect.provideService(Invocation, {
      args: [],
      environment: {},
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      stop: Effect.never
    })
  )
)
