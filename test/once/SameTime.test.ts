import type { ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import { errorBody } from "../harness/Contract.ts"
import {
  approve,
  connect,
  eachOnce,
  guarded,
  startGuarded,
  stdioRoutes
} from "../harness/mcp/GuardedServer.ts"
import { reply } from "../harness/ResponseServer.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"

// Calls for the same SMS at the same time. LookAndClaim.test.ts has those of two servers.

const sms = { recipient: "+254700000001", message: "Hello" }

describe.for(eachOnce)("calls at the same time, $era over $over", (route) => {
  it("share one send", async () => {
    await using server = await guarded(route)
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.send(sms)))
    expect(responses.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    expect(responses.filter(({ duplicate }) => duplicate === true)).toHaveLength(19)
    expect(new Set(responses.flatMap(({ messageIds }) => messageIds)).size).toBe(1)
    expect(await server.sent()).toBe(1)
  })
})

describe.for(stdioRoutes)("calls at the same time, $era over $over", (route) => {
  it("return unknown if they wait for a second send that does not go out", async () => {
    await using upstream = await openRespondingUpstream()
    await using server = await startGuarded(route.over, [], upstream.environment)
    await using connection = await connect(route.era, server.open(), { person: () => approve })
    upstream.respondWith((_, response) => response.destroy())
    expect((await connection.send(sms)).error["code"]).toBe("send_unknown")
    const held = Promise.withResolvers<ServerResponse>()
    upstream.respondWith((_, response) => held.resolve(response))
    const resend = connection.send({ ...sms, again: true })
    const response = await held.promise
    const waiting = [connection.send(sms), connection.send({ ...sms, again: true })]
    // When this call has its result, the calls before it are waiting.
    await connection.client.callTool({ name: "preview_sms", arguments: { message: "Hello" } })
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
    for (const { error, text } of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: "unknown_not_resent", outcome: "unknown" })
      expect(text).toMatch(/Do not send it again: it may have gone out/)
    }
    expect(upstream.received).toHaveLength(1)
  })

  it.each([
    ["are not started if they wait for a first send that does not go out", true],
    ["are sent once more where nobody need be asked", false]
  ])("%s", async (_title, isAsked) => {
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
    const waiting = connection.send(sms)
    // When this call has its result, the call before it is waiting.
    await connection.client.callTool({ name: "preview_sms", arguments: { message: "Hello" } })
    response.writeHead(402, { "content-type": "application/json" })
    response.end(JSON.stringify(errorBody(402)))
    expect((await first).error).toMatchObject({ code: "send_failed", outcome: "not-sent" })
    const code = isAsked ? "not_started" : "send_failed"
    expect((await waiting).error).toMatchObject({ code, outcome: "not-sent" })
    // After the first one.
    expect(upstream.received).toHaveLength(isAsked ? 0 : 1)
  })
})
