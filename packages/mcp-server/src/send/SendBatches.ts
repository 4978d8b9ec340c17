/**
 * Batches: many sends with one approval.
 *
 * Everything is checked before anything is sent, and a person is asked once. Then each row is a send of
 * its own, with its own claim and its own outcome. So after a crash the same call sends only what never
 * started or did not go out, and the journal needs to know nothing of batches.
 */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { approvalUsed, declinedBefore } from "./ApprovalRefusals.ts"
import * as Audit from "./Audit.ts"
import * as BatchQuestion from "./BatchQuestion.ts"
import {
  batchUnavailable,
  type RowProblem,
  rowProblem,
  rowsRefused,
  sameAs,
  tooManyRows
} from "./BatchRefusals.ts"
import { type BatchRow, type Standing, standingOf } from "./BatchRow.ts"
import * as BatchRun from "./BatchRun.ts"
import { type Caller, report } from "./Caller.ts"
import { Confirmation } from "./Confirmation.ts"
import type { Pending } from "./Pending.ts"
import type { ApprovedBy, PlannedSend } from "./PlannedSend.ts"
import { longestCall } from "./InFlight.ts"
import { limitReached, type Refusal } from "./Refusal.ts"
import type { RulesOf } from "./Rules.ts"
import { SendGuard } from "./SendGuard.ts"
import { SendMemory } from "./SendMemory.ts"

/** How long the end of a batch is kept for the call that asks for it. */
const keepEnd = Duration.toMillis("10 minutes")

const looksInFlight = 4

export class SendBatches extends Context.Service<
  SendBatches,
  {
    /** Returns how far the batch is: it goes on if it takes longer than a call may. */
    readonly send: (
      caller: Caller,
      requests: ReadonlyArray<SendSmsRequest>
    ) => Effect.Effect<BatchRun.BatchRun | Pending, Refusal, MessagingTopup>
  }
>()("@messaging-topup/mcp-server/send/SendBatches") {
  static readonly layer = (options: {
    readonly rulesOf: RulesOf
  }): Layer.Layer<SendBatches, never, Confirmation | SendGuard | SendMemory> =>
    Layer.effect(SendBatches, make(options))
}

const subjectOf = (rows: ReadonlyArray<BatchRow>) => [
  "batch",
  ...rows.flatMap(({ request }) => [request.recipient, request.message, request.sender_id ?? null])
]

const reportProgress = (caller: Caller, { ends, rows }: BatchRun.BatchRun) =>
  Effect.suspend(() =>
    report(caller, {
      progress: ends.size,
      total: rows.length,
      message: `${ends.size} of ${rows.length} SMS are done. Cancelling stops what has not started.`
    })
  )

const make = Effect.fnUntraced(function* ({ rulesOf }: { readonly rulesOf: RulesOf }) {
  const confirmation = yield* Confirmation
  const guard = yield* SendGuard
  const memory = yield* SendMemory
  /** The batches that are running, and those whose end no call was told. */
  const runs = new Map<string, BatchRun.BatchRun>()

  /** The rows as one send, which is never claimed: for the limits and the log. */
  const wholeOf = Effect.fnUntraced(function* (
    caller: Caller,
    rows: ReadonlyArray<BatchRow>
  ): Effect.fn.Return<PlannedSend, Refusal> {
    return {
      key: yield* memory.digest(["batch", ...rows.map(({ planned }) => planned.key)]),
      principal: caller.principal,
      recipient: "",
      messages: rows.length,
      segments: rows.reduce((sum, { planned }) => sum + planned.segments, 0),
      limits: rulesOf(caller).limits,
      kind: "first",
      approvedBy: "none"
    }
  })

  /** Checks all rows, and says all problems at once. */
  const check = Effect.fnUntraced(function* (
    caller: Caller,
    requests: ReadonlyArray<SendSmsRequest>
  ) {
    const rows: Array<BatchRow> = []
    const problems: Array<RowProblem> = []
    const numberOf = new Map<string, number>()
    /** A text that is too long can be far too long, so it is read once, not for each row. */
    const tooLong = new Map<string, Refusal>()
    for (const [at, given] of requests.entries()) {
      const number = at + 1
      const known = tooLong.get(given.message)
      const checked =
        known === undefined ? yield* Effect.result(guard.check(caller, given)) : Result.fail(known)
      if (Result.isFailure(checked)) {
        if (checked.failure.code === "too_many_segments") {
          tooLong.set(given.message, checked.failure)
        }
        problems.push(rowProblem(number, checked.failure))
        continue
      }
      const request = checked.success
      const planned = yield* guard.plan(caller, request)
      const same = numberOf.get(planned.key)
      if (same === undefined) {
        numberOf.set(planned.key, number)
        rows.push({ number, request, planned })
      } else problems.push({ number, problem: sameAs(same) })
    }
    return problems.length > 0 ? yield* rowsRefused(problems, requests.length) : rows
  })

  const checkLimits = Effect.fnUntraced(function* (caller: Caller, open: ReadonlyArray<BatchRow>) {
    const result = yield* memory.look(yield* wholeOf(caller, open))
    if (result._tag === "LimitReached") {
      return yield* limitReached(result.limit, result.retryAfterSeconds)
    }
    return undefined
  })

  /** Returns who approved, or the question. */
  const permit = Effect.fnUntraced(function* (
    calling: Caller,
    open: ReadonlyArray<BatchRow>,
    total: number
  ): Effect.fn.Return<ApprovedBy | Pending, Refusal> {
    const subject = subjectOf(open)
    const { approved, caller } = yield* confirmation.decided(calling, { batch: subject })
    if (approved !== undefined) {
      const before = yield* memory.redeem(approved.approval, true)
      if (before === undefined) return "person"
      return yield* before === "approved" ? approvalUsed : declinedBefore
    }
    return yield* confirmation.ask(caller, {
      text: BatchQuestion.write(open, total),
      subject,
      confirm: rulesOf(caller).confirm.value === "off" ? "off" : "require",
      unavailable: batchUnavailable
    })
  })

  /** Waits for the batch, but not longer than a call may take. A cancelled call stops the batch. */
  const follow = (caller: Caller, key: string, run: BatchRun.BatchRun) => {
    const listener = reportProgress(caller, run)
    const forget = Effect.sync(() => {
      if (runs.get(key) === run) runs.delete(key)
    })
    return Effect.acquireUseRelease(
      Effect.sync(() => run.listeners.add(listener)),
      () =>
        run.isOver.pipe(
          Effect.timeoutOption(longestCall),
          Effect.onInterrupt(() => Effect.andThen(run.stop, forget))
        ),
      () => Effect.sync(() => run.listeners.delete(listener))
    ).pipe(
      Effect.tap(() => (run.overAt() === undefined ? Effect.void : forget)),
      Effect.as(run)
    )
  }

  const begin = (
    caller: Caller,
    key: string,
    rows: ReadonlyArray<BatchRow>,
    standings: ReadonlyArray<Standing>,
    approvedBy: ApprovedBy
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        // Another call of the same batch may have been approved in the meantime.
        const other = runs.get(key)
        if (other !== undefined) return yield* restore(follow(caller, key, other))
        const run = yield* BatchRun.start({
          rows,
          standings,
          approvedBy,
          send: ({ planned, request }) =>
            guard.dispatch(caller, request, { ...planned, approvedBy })
        })
        runs.set(key, run)
        return yield* restore(follow(caller, key, run))
      })
    )

  const forgetOld = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [key, run] of runs) if ((run.overAt() ?? now) + keepEnd < now) runs.delete(key)
  })

  /** Runs the guards that concern the rows together. */
  const admit = Effect.fnUntraced(function* (
    caller: Caller,
    rows: ReadonlyArray<BatchRow>,
    key: string
  ) {
    const running = runs.get(key)
    if (running !== undefined) return yield* follow(caller, key, running)
    const standings = yield* Effect.forEach(
      rows,
      ({ planned }) =>
        Effect.map(memory.look(planned), (look) => standingOf(look, caller.asking !== undefined)),
      { concurrency: looksInFlight }
    )
    const open = rows.filter((_, at) => standings[at]?._tag === "Open")
    if (open.length === 0) return yield* begin(caller, key, rows, standings, "none")
    yield* checkLimits(caller, open)
    const permission = yield* permit(caller, open, rows.length)
    return Predicate.isString(permission)
      ? yield* begin(caller, key, rows, standings, permission)
      : permission
  })

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    requests: ReadonlyArray<SendSmsRequest>
  ) {
    yield* forgetOld
    const maximum = rulesOf(caller).maximums["max-batch"]
    if (requests.length > maximum.value) return yield* tooManyRows(requests.length, maximum)
    const rows = yield* check(caller, requests).pipe(Audit.refusals(caller))
    const whole = yield* wholeOf(caller, rows).pipe(Audit.refusals(caller))
    return yield* admit(caller, rows, whole.key).pipe(Audit.refusals(whole))
  })

  return SendBatches.of({ send })
})
