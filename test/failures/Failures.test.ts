/** Each failure of the table, for a send and a read over each transport, and for the promise client. */
import { describe, expect, it } from "@effect/vitest"
import { isSafeToResend, MessagingTopup, sendOutcome } from "@messaging-topup/core"
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { send } from "../../examples/resend.ts"
import { send as sendFromScript } from "../../examples/resend-script.ts"
import { client, token, allTransports } from "../harness/Clients.ts"
import {
  contract,
  type OperationName,
  operationNames,
  recipient,
  text
} from "../harness/Contract.ts"
import { type Failure, failingService, failures, maxBodyBytes } from "../harness/failures.ts"
import { observed } from "../harness/Renderings.ts"
import { isFull } from "../harness/Runs.ts"
import { patience, runInTestTime, stallsOf } from "../harness/TestTime.ts"

/** Only undici tells that a request did not start. Over the others, it counts as started. */
const asSeenBy = (transport: string, failure: Failure): Failure & { readonly started: boolean } => {
  const started = failure.address === undefined
  if (started || transport === "undici") return { ...failure, started }
  const tag = failure.tag === "ConnectionFailed" ? "ConnectionLost" : failure.tag
  return { ...failure, tag, outcome: "unknown", isSafeToResend: false, started: true }
}

/** A documented error of another operation is undocumented. */
const tagOf = ({ status, tag }: Failure, name: OperationName): string => {
  const { errors, successStatus } = contract[name]
  return status === undefined || status === "success" || status === successStatus
    ? tag
    : errors.includes(status)
      ? tag
      : "UndocumentedStatus"
}

const attemptsOf = ({ reads, tag }: Failure, name: OperationName): number => {
  if (name !== "sendSms") return reads
  return tag === "ConnectionFailed" ? 3 : 1
}

/** The full tests try every read, over every transport. */
const triedOver = (transport: string): ReadonlyArray<OperationName> => {
  if (isFull) return operationNames
  return transport === "undici" ? ["sendSms", "getSmsStatus"] : ["sendSms"]
}

describe.for(allTransports)("over %s", ([transportName, transport]) => {
  describe.for(triedOver(transportName))("%s", (name) => {
    it.effect.each(failures)("has its error, its requests and its span after %s", ([, row]) =>
      Effect.gen(function* () {
        const { call, successStatus } = contract[name]
        const failure = asSeenBy(transportName, row)
        const { outcome, started, status } = failure
        const { baseUrl, requests } = yield* failingService(row, successStatus)
        const { counted, stalled } = stallsOf(row.stalls, requests)
        const options = { timeout: patience, maxBodyBytes, readRetries: 2 } as const
        const running = Effect.flatMap(MessagingTopup, (service) => counted(call(service))).pipe(
          Effect.provide(client(baseUrl, transport, options))
        )
        const { exit, metrics, spans } = yield* yield* runInTestTime(observed(running), stalled)
        const error = yield* Effect.flip(exit)

        const isSend = name === "sendSms"
        const tag = tagOf(failure, name)
        const attempts = attemptsOf(failure, name)
        expect(error).toMatchObject({
          _tag: tag,
          operation: name,
          ...(isSend ? { sendOutcome: outcome } : {}),
          ...(tag === "RequestTimedOut" ? { started } : {})
        })
        expect(sendOutcome(error)).toBe(isSend ? outcome : "unknown")
        expect(isSafeToResend(error)).toBe(isSend && failure.isSafeToResend === true)
        expect(requests()).toBe(row.address === undefined ? attempts : 0)
        const ended = [...(spans[0]?.attributes ?? [])].filter(
          ([key]) => !/^(server|url)\.|request\.method$/.test(key)
        )
        expect(Object.fromEntries(ended)).toEqual({
          "error.type": tag,
          ...(status === undefined
            ? {}
            : { "http.response.status_code": status === "success" ? successStatus : status }),
          ...(attempts === 1 ? {} : { "http.request.resend_count": attempts - 1 }),
          ...(isSend ? { "messaging_topup.send_outcome": outcome } : {})
        })
        expect(metrics.map(({ attributes }) => attributes)).toEqual(
          isSend ? [{ "messaging_topup.send_outcome": outcome }] : []
        )
      })
    )
  })
})

/** How often a program that sends up to three times sends after a failure: it waits as long as a read would. */
const sendsOf = ({ isSafeToResend: isSafe, reads }: Failure): number =>
  isSafe === true ? reads : 1

it.effect.each(failures)(
  "Effect.retry with isSafeToResend resends only what did not go out, after %s",
  ([, row]) =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* failingService(row)
      const { counted, stalled } = stallsOf(row.stalls, requests)
      const options = { timeout: patience, maxBodyBytes } as const
      const running = counted(send({ recipient, message: text })).pipe(
        Effect.provide(client(baseUrl, undefined, options))
      )
      const { exit, spans } = yield* yield* runInTestTime(observed(running), stalled)
      expect(yield* Effect.flip(exit)).toMatchObject({ _tag: row.tag, sendOutcome: row.outcome })
      const sends = sendsOf(row)
      expect(spans.filter(({ name }) => name === "sendSms")).toHaveLength(sends)
      expect(requests()).toBe(row.address === undefined ? sends : 0)
    })
)

// Over its own timers, so a stalled send takes its time-out: all wait for it together.
describe.skipIf(isFull)("a send of the promise client", { concurrent: true }, () => {
  it.live.each(failures)(
    "rejects, says whether it went out, and is resent by a script's loop only if not, after %s",
    ([, row]) =>
      Effect.gen(function* () {
        const { baseUrl, requests } = yield* failingService(row)
        // On a busy machine, each failure could be a time-out, and each stalled request one before its start.
        const timeouts = {
          "before the start": 300,
          "before the headers": 1_000,
          "after the headers": 1_000
        }
        const timeout =
          row.stalls === undefined ? Duration.toMillis(patience) : timeouts[row.stalls]
        const options = { timeout, maxBodyBytes, readRetries: 2 }
        let sends = 0
        const error = yield* Effect.promise(async () => {
          await using sender = createClient({ baseUrl, token, ...options })
          const sendSms = (...given: Parameters<typeof sender.sendSms>) => {
            sends++
            return sender.sendSms(...given)
          }
          const request = { recipient, message: text }
          return await sendFromScript({ ...sender, sendSms }, request, async () => {}).then(
            () => "it resolved",
            (rejection: unknown) => rejection
          )
        })
        const { outcome, tag } = row
        expect(error).toMatchObject({ _tag: tag, operation: "sendSms", sendOutcome: outcome })
        expect(isSendSmsRejection(error)).toBe(true)
        expect(sends).toBe(sendsOf(row))
        expect(requests()).toBe(row.address === undefined ? sends : 0)
      })
  )
})
