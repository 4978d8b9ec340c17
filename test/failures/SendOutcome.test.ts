import { describe, expect, it, vi } from "@effect/vitest"
import * as core from "@messaging-topup/core"
import { Aborted, ClientClosed, isSendSmsRejection } from "@messaging-topup/core/promise"
import * as journal from "@messaging-topup/journal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { sendBatch } from "../../examples/send-batch.ts"
import { afterTurns } from "../harness/TestTime.ts"
import { contract, errorBody, recipient, text } from "../harness/Contract.ts"
import { servingSockets } from "../harness/Serving.ts"
import { responseText } from "../harness/SocketServer.ts"

const operation = "sendSms"
const response = Schema.decodeUnknownSync(core.Schemas.SendSmsResponse)(contract.sendSms.success)

const notSent = new core.ConnectionFailed({ operation })
const unknown = new core.ConnectionLost({ operation })
const sent = new core.ConnectionLost({ status: 202, operation })

const errors = { "not-sent": notSent, unknown, sent } as const

const guards: ReadonlyArray<readonly [string, (caught: unknown) => boolean]> = Object.entries({
  isDocumentedError: core.isDocumentedError,
  isFinal: journal.isFinal,
  isJournalGone: journal.isJournalGone,
  isSafeToResend: core.isSafeToResend,
  isSendSmsRejection
})

// Failures.test.ts has the outcome of every failure, and SendEnds.test.ts that of every cause.
describe("sendOutcome", () => {
  it.each(Object.entries(errors))(
    "is %s of an error, of its cause and of its exit",
    (outcome, error) => {
      expect(core.sendOutcome(error)).toBe(outcome)
      expect(core.sendOutcome(Cause.fail(error))).toBe(outcome)
      expect(core.sendOutcome(Exit.fail(error))).toBe(outcome)
    }
  )

  /** What is known of the SMS, not of the call: an earlier call may have sent it. */
  const ofJournal = [
    ["unknown", "goes on", new journal.JournalUnavailable({ problem: "unreachable" })],
    ["unknown", "goes on", new journal.JournalLocked({ waitedSeconds: 10 })],
    ["unknown", "goes on", new journal.OutcomeUnknown({ id: 1, journal: "memory", since: 0 })],
    ["unknown", "ends", new journal.CampaignPruned({ campaign: "c" })],
    ["not-sent", "ends", new journal.KeyConflict({ state: "sent" })],
    ["not-sent", "ends", new journal.SendClosed({ id: 1, journal: "memory" })],
    [
      "not-sent",
      "ends",
      new core.InvalidInput({ operation: "sendOnce", field: "key", problem: "" })
    ]
  ] as const

  it.each(ofJournal)("is %s, and a workflow %s, after the journal's %o", (outcome, way, error) => {
    for (const value of [error, Cause.fail(error), Exit.fail(error)]) {
      expect(core.sendOutcome(value)).toBe(outcome)
    }
    expect(journal.isFinal(error)).toBe(way === "ends")
    expect(isSendSmsRejection(error)).toBe(false)
    expect(core.isSafeToResend(error)).toBe(false)
  })

  it("ends a workflow only if the service would refuse this very request again", () => {
    const ending = contract.sendSms.errors.filter((status) => {
      const error = Object.values(core.documentedErrors).find((each) => each.status === status)
      return error !== undefined && journal.isFinal(new error({ operation }))
    })
    expect(ending).toEqual([400, 404])
    for (const error of Object.values(errors)) expect(journal.isFinal(error)).toBe(false)
  })

  it.each(guards)("%s takes whatever a script catches", (_, guard) => {
    for (const value of [undefined, null, "no", {}, new Error("no")]) {
      expect(guard(value)).toBe(false)
    }
  })

  it.effect("is that of an error that a program yields", () =>
    Effect.gen(function* () {
      const failing = Effect.gen(function* () {
        return yield* notSent
      })
      expect(yield* Effect.flip(failing)).toBe(notSent)
      expect(core.sendOutcome(yield* Effect.exit(failing))).toBe("not-sent")
    })
  )

  it("is that of an error of another copy of the package", async () => {
    vi.resetModules()
    const copy = await import("@messaging-topup/core")
    for (const [outcome, error] of Object.entries(errors)) {
      const other = new copy.ConnectionLost({ operation, status: error === sent ? 202 : 500 })
      expect(other).not.toBeInstanceOf(core.ConnectionLost)
      expect(core.sendOutcome(error)).toBe(copy.sendOutcome(error))
      expect(copy.sendOutcome(error)).toBe(outcome)
      expect(copy.isSafeToResend(error)).toBe(error === notSent)
      const encoded = Schema.encodeUnknownSync(core.errorSchema(operation))(other)
      expect(Schema.decodeUnknownSync(core.errorSchema(operation))(encoded)).toMatchObject({
        sendOutcome: core.sendOutcome(other)
      })
    }
  })

  it("is sent of the response", () => {
    expect(core.sendOutcome(Exit.succeed(response))).toBe("sent")
    expect(core.sendOutcome(Exit.succeed({ ...response, data: [] }))).toBe("unknown")
    expect(core.sendOutcome(Exit.succeed({ ...response, success: false }))).toBe("unknown")
  })

  it.effect("is sent of what sendOnce returns, also of an earlier call", () =>
    Effect.gen(function* () {
      const { sendOnce } = yield* journal.SendJournal
      const once = sendOnce("k", { recipient, message: text })
      for (const isEarlier of [false, true]) {
        const end = yield* core.endOfSend(once)
        expect(end).toMatchObject({ outcome: "sent", results: [], exit: { value: { isEarlier } } })
        expect(core.sendOutcome(end.exit)).toBe("sent")
      }
    }).pipe(
      Effect.provide([
        journal.layerMemory,
        Layer.mock(core.MessagingTopup, {
          sendSms: () => Effect.succeed(response),
          timeoutMillis: 30_000
        })
      ])
    )
  )

  class OwnInvalidInput extends Error {
    readonly _tag = "InvalidInput"
    readonly operation = "sendSms"
  }

  /** What a program can have around a send: errors of its own and of reads, and other values. */
  const others: Readonly<Record<string, unknown>> = {
    "a read's NotFound": new core.NotFound({ operation: "getSmsStatus" }),
    "a read's ConnectionFailed": new core.ConnectionFailed({ operation: "getSmsStatus" }),
    "an InvalidInput of another function": new core.InvalidInput({
      operation: "resolve",
      field: "key",
      problem: ""
    }),
    "an error of the settings": new core.ConfigurationError({ setting: "token", problem: "" }),
    "Effect's NotFound": new HttpApiError.NotFound(),
    "an error with one of our tags": new OwnInvalidInput(),
    "a copy of an error": structuredClone(notSent),
    "the encoded form of an error": { _tag: "InvalidInput", field: "", problem: "", operation },
    "an outer time-out": new Cause.TimeoutError(),
    "nothing, as after a time-out": Option.none(),
    "a failure turned into a value": Result.fail(notSent),
    "a response in a value": Option.some(response),
    "the response of a read": contract.getDataBundleStatus.success,
    "an empty cause": Cause.empty,
    "a text": "NotFound",
    "a number": 404,
    null: null,
    undefined
  }

  it.each(Object.entries(others))(
    "is unknown of %s, alone, in a cause and in an exit",
    (_, each) => {
      const both = Cause.combine(Cause.fail(notSent), Cause.fail(each))
      for (const value of [each, Cause.fail(each), both, Exit.fail(each), Exit.succeed(each)]) {
        expect(core.sendOutcome(value)).toBe("unknown")
        expect(core.isSafeToResend(value)).toBe(false)
      }
    }
  )

  it("is not-sent of what a script ended before it began, which no program should resend", () => {
    for (const error of [
      new Aborted({ operation, started: false }),
      new ClientClosed({ operation })
    ]) {
      expect(core.sendOutcome(error)).toBe("not-sent")
      expect(core.isSafeToResend(error)).toBe(false)
    }
  })

  it("is unknown of a response or an exit that is no exit's own", () => {
    expect(core.sendOutcome(response)).toBe("unknown")
    expect(core.sendOutcome(Exit.succeed(Exit.fail(notSent)))).toBe("unknown")
  })
})

describe("a batch", () => {
  const count = 120

  /** The recipient is the number of the row. The rows get every kind of response. */
  const batch = <A>(
    run: (
      requests: ReadonlyArray<core.SendSmsRequest>
    ) => Effect.Effect<A, unknown, core.MessagingTopup>
  ) =>
    servingSockets({}, function* (_service, server) {
      const accepted = new Set<string>()
      server.onRequest((socket, nth) => {
        const [, row = ""] = /"recipient":"(\d+)"/.exec(server.received[nth - 1] ?? "") ?? []
        const kind = Number(row) % 6
        if (kind === 1) return void socket.write(responseText(402, errorBody(402)))
        if (kind === 4) return void socket.write(responseText(503, ""))
        accepted.add(row)
        if (kind === 5) return void socket.destroy()
        return void setImmediate(() => socket.write(responseText(202, contract.sendSms.success)))
      })
      const requests = Array.from({ length: count }, (_, row) => ({
        recipient: String(row),
        message: text
      }))
      const exit = yield* Effect.exit(run(requests))
      return { accepted, exit, received: server.received.length }
    })

  it.live("distinguishes rows that are the same object", () =>
    servingSockets({}, function* (_, server) {
      server.onRequest((socket, nth) => {
        if (nth === 1) socket.write(responseText(500, errorBody(500)))
        else afterTurns(20, () => socket.write(responseText(402, errorBody(402))))
      })
      const request = { recipient, message: text }
      const rows = yield* sendBatch([request, request], "10 minutes")
      expect(rows.map(({ outcome }) => outcome).toSorted()).toEqual(["not-sent", "unknown"])
    })
  )

  it.live.each([0, 1, 5, 20, 60, 600_000])(
    "finishes the rows in flight after its time-out, and starts no other: %i ms",
    (millis) =>
      Effect.gen(function* () {
        const { accepted, exit, received } = yield* batch((requests) =>
          sendBatch(requests, `${millis} millis`)
        )
        const rows = yield* exit
        const of = (outcome: core.SendOutcome) =>
          rows.filter((row) => row.outcome === outcome).map(({ request }) => request.recipient)
        expect(rows).toHaveLength(count)
        expect(of("not-sent").filter((row) => accepted.has(row))).toEqual([])
        expect(of("sent").filter((row) => !accepted.has(row))).toEqual([])
        if (millis === 600_000) {
          const cycle = ["sent", "not-sent", "sent", "sent", "unknown", "unknown"]
          expect(rows.map((row) => row.outcome)).toEqual(
            Array.from({ length: count }, (_, row) => cycle[row % 6])
          )
        }
        const refused = rows.filter(({ request }) => Number(request.recipient) % 6 === 1)
        expect(of("sent").length + of("unknown").length).toBeLessThanOrEqual(received)
        expect(received).toBeLessThanOrEqual(
          of("sent").length + of("unknown").length + refused.length
        )
      })
  )
})
