/** Each failure of core's table, for those who send with core: a row of a campaign, and the tool `send_sms`. */
import { describe, expect, it } from "@effect/vitest"
import { send as sendRow } from "@messaging-topup/journal/src/many/SendRow.ts"
import { Journal } from "@messaging-topup/mcp-server/src/send/Journal.ts"
import { sendSms } from "@messaging-topup/mcp-server/src/tools/SendSms.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { alone, guardsOn, journalInMemory } from "../harness/mcp/Guards.ts"
import { client } from "../harness/Clients.ts"
import { contract, errorTags, recipient, text } from "../harness/Contract.ts"
import { type Failure, failingService, failures, maxBodyBytes } from "../harness/failures.ts"
import { patience, withoutRetryDelays } from "../harness/TestTime.ts"

const request = { recipient, message: text }

/** Runs with a client of a service that fails so. */
const under = <A, E, R>(failure: Failure, run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { baseUrl, requests } = yield* failingService(failure)
    // On a busy machine, each failure could be a time-out.
    const timeout = failure.stalls === undefined ? patience : "1 second"
    const options = { timeout, maxBodyBytes } as const
    const end = yield* Effect.provide(run, client(baseUrl, undefined, options))
    expect(requests()).toBe(failure.address === undefined ? 1 : 0)
    return end
  }).pipe(withoutRetryDelays)

const guards = guardsOn(journalInMemory)

// A stalled send takes its time-out: all wait for it together.
it("the table has every documented error of a send", () => {
  const tags = new Set(failures.map(([, { tag }]) => tag))
  expect([...tags]).toEqual(
    expect.arrayContaining(contract.sendSms.errors.map((status) => errorTags[status]))
  )
})

describe.concurrent.for(failures)("after %s", ([, failure]) => {
  const { code, next, outcome, row, status, tag } = failure
  const http = status === "success" ? 202 : status

  it.live("a campaign stores the end of the row, and knows what it means for the others", () =>
    Effect.gen(function* () {
      const end = yield* under(
        failure,
        sendRow(request, () => true)
      )
      expect(end.stored.state).toBe(row)
      expect(end.failure).toBe(http === undefined ? tag : `${tag} ${http}`)
      const all = ["stop", "slowDown", "isAboutRow"]
      expect(all.filter((key) => key in end)).toEqual(next ? [next] : [])
    })
  )

  it.live("send_sms tells it, and stores it", () =>
    Effect.gen(function* () {
      const { structuredContent: told } = Object(
        yield* under(failure, sendSms.call(request, alone))
      )
      const refusal = { code, error: tag, ...(http === undefined ? {} : { http_status: http }) }
      expect(told).toMatchObject({ outcome, ...(code === undefined ? {} : refusal) })
      const { use } = yield* Journal
      const stored = yield* use(({ server }) => server.recent({ limit: 1 }))
      expect(stored.map(({ state }) => state)).toEqual(row === "nothing" ? [] : [row])
    }).pipe(Effect.provide(Layer.merge(guards, Logger.layer([]))))
  )
})
