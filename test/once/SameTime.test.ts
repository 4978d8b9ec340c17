import type { ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import { acceptance, errorBody } from "../harness/Contract.ts"
import { isFull } from "../harness/Runs.ts"
import {
  anyRoute,
  approve,
  type CallResult,
  connect,
  type Connection,
  decline,
  eachOnce,
  guarded,
  startGuarded,
  stdioRoutes
} from "../harness/mcp/GuardedServer.ts"
import { reply } from "../harness/ResponseServer.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"

const tried = isFull ? stdioRoutes : [anyRoute]

// Calls for the same SMS at the same time. LookAndClaim.test.ts has those of two servers.

const sms = { recipient: "+254700000001", message: "Hello" }

describe.for(eachOnce)("calls at the same time, $era over $over", (route) => {
  it("share one send", async () => {
    await using server = await guarded(route)
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.send(sms)))
    expect(responses.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    for (const { error, isError } of responses) {
      if (isError) expect(error).toMatchObject({ code: "in_flight_elsewhere", outcome: "unknown" })
    }
    // Also what the same call again returns.
    responses.push(await server.send(sms))
    expect(responses.at(-1)?.duplicate).toBe(true)
    expect(new Set(responses.flatMap(({ messageIds }) => messageIds)).size).toBe(1)
    expect(await server.sent()).toBe(1)
  })
})

describe.for(tried)("calls at the same time, $era over $over", (route) => {
  it("say at once that a second send is in flight", async () => {
    await using upstream = await openRespondingUpstream()
    await using server = await startGuarded(route.over, [], upstream.environment)
    await using connection = await connect(route.era, server.open(), { person: () => approve })
    upstream.respondWith((_, response) => response.destroy())
    expect((await connection.send(sms)).error["code"]).toBe("send_unknown")
    const held = Promise.withResolvers<ServerResponse>()
    upstream.respondWith((_, response) => held.resolve(response))
    const resend = connection.send({ ...sms, again: true })
    const response = await held.promise
    for (const same of [sms, { ...sms, again: true }]) {
      const { error } = await connection.send(same)
      expect(error).toMatchObject({ code: "in_flight_elsewhere", outcome: "unknown" })
    }
    response.writeHead(402, { "content-type": "application/json" })
    response.end(JSON.stringify(errorBody(402)))
    const failed = await resend
    expect(failed.error).toMatchObject({
      code: "resend_failed",
      error: "PaymentRequired",
      http_status: 402,
      outcome: "unknown"
    })
    expect(failed.text).toMatch(/^It is still unknown whether the SMS was sent: this send did/)
    const { error, text } = await connection.send(sms)
    expect(error).toMatchObject({ code: "unknown_not_resent", outcome: "unknown" })
    expect(text).toMatch(
      /Do not send it again, also not in other words or by another caller: it may have gone out/
    )
    expect(upstream.received).toHaveLength(1)
  })

  it.each([true, false])(
    "say at once that a first send is in flight: asked %s",
    async (isAsked) => {
      await using upstream = await openRespondingUpstream()
      const args = isAsked ? [] : ["--allow-recipients=*"]
      await using server = await startGuarded(route.over, args, upstream.environment)
      const person = isAsked ? () => approve : undefined
      await using connection = await connect(route.era, server.open(), { person })
      const held = Promise.withResolvers<ServerResponse>()
      upstream.respondWith((_, response) => {
        upstream.respondWith(reply(402, errorBody(402)))
        held.resolve(response)
      })
      const first = connection.send(sms)
      const response = await held.promise
      const { error, text } = await connection.send(sms)
      expect(error).toMatchObject({ code: "in_flight_elsewhere", outcome: "unknown" })
      const { data } = (await connection.call("list_recent_sends", {})).structured
      const [{ time }] = data as readonly [{ readonly time: string }]
      // The time-out, ten seconds until the request starts, and five until its outcome is written.
      const until = new Date(Math.ceil((Date.parse(time) + 45_000) / 60_000) * 60_000)
      const shown = until.toISOString().slice(0, 16).replace("T", " ")
      expect(text).toContain(
        `By ${shown} UTC it has ended, or becomes unknown: make the same call then, without again. `
      )
      const again = await connection.send({ ...sms, again: true })
      expect(again.error).toMatchObject({ code: "in_flight_elsewhere", outcome: "unknown" })
      response.writeHead(402, { "content-type": "application/json" })
      response.end(JSON.stringify(errorBody(402)))
      expect((await first).error).toMatchObject({ code: "send_failed", outcome: "not-sent" })
      // It is not in this list: another response was for it.
      expect(upstream.received).toHaveLength(0)
      expect((await connection.send(sms)).error).toMatchObject({ code: "send_failed" })
      expect(upstream.received).toHaveLength(1)
    }
  )
})

describe.skipIf(isFull)("a text that only a person may approve", () => {
  const overHttp = { era: "modern", over: "http" } as const
  const asks = { ...sms, message: "Dear {name}, see you" }

  /** A person approved the call that is in flight; `mayAsk`: also the second client could ask. */
  const scene = async (
    args: ReadonlyArray<string>,
    status: number,
    mayAsk: boolean,
    call: (client: Connection) => Promise<CallResult>
  ) => {
    await using upstream = await openRespondingUpstream()
    await using server = await startGuarded(overHttp.over, args, upstream.environment)
    await using first = await connect(overHttp.era, server.open(), { person: () => approve })
    const person = mayAsk ? () => decline : undefined
    await using second = await connect(overHttp.era, server.open(), { person })
    const held = Promise.withResolvers<ServerResponse>()
    upstream.respondWith((_, response) => {
      upstream.respondWith(reply(202, acceptance))
      held.resolve(response)
    })
    const approved = first.send(asks)
    const response = await held.promise
    const meanwhile = call(second)
    // When this call has its result, the one before it has looked.
    await second.call("preview_sms", { message: "Hello" })
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(errorBody(status)))
    expect((await approved).isError).toBe(true)
    const result = await meanwhile
    const texts = upstream.received.map(({ body }) => String(JSON.parse(body).message))
    return { result, again: await call(second), texts }
  }

  const everybody = "--allow-recipients=*"

  it.each([
    [["--confirm", "off", everybody], false],
    [["--confirm", "off", everybody], true],
    [[everybody], false]
  ] as const)("goes out by no call that met it in flight: %j, may ask %s", async (args, mayAsk) => {
    for (const status of [400, 402, 429, 500]) {
      const { again, result, texts } = await scene(args, status, mayAsk, (client) =>
        client.send(asks)
      )
      expect(result.error).toMatchObject({ code: "in_flight_elsewhere", outcome: "unknown" })
      const alone = mayAsk ? "confirmation_declined" : "invalid_arguments"
      expect(again.error["code"]).toBe(status === 500 ? "unknown_not_resent" : alone)
      expect(texts).toEqual([])
    }
  })

  it("goes out with no batch that met it in flight", async () => {
    const rows = [asks, { ...sms, recipient: "+254700000002" }]
    const list = [`--allow-recipients=${rows.map(({ recipient }) => recipient).join()}`]
    const { result, texts } = await scene(list, 400, false, (client) =>
      client.call("send_sms_batch", { rows })
    )
    expect(result.structured).toMatchObject({ sent: 1, unknown: 1 })
    expect(texts).toEqual([sms.message])
  })
})
