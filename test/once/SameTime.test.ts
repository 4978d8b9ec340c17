import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { operate } from "../harness/Command.ts"
import { errorBody } from "../harness/Contract.ts"
import {
  anyRoute,
  approve,
  connect,
  eachOnce,
  guarded,
  startGuarded,
  stdioRoutes
} from "../harness/mcp/GuardedServer.ts"
import { slowRecipient, openSandbox } from "../harness/mcp/RealSandbox.ts"
import { reply } from "../harness/ResponseServer.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

// Calls for the same SMS at the same time, and outcomes that the state does not have.

const sms = { recipient: "+254700000001", message: "Hello" }

const stateIn = (path: string) => ["--journal", join(path, "sends.sqlite")]

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
  it("share one second send", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send(sms)
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => server.send({ ...sms, again: true }))
    )
    expect(responses.map(({ isError }) => isError)).toEqual(responses.map(() => false))
    expect(responses.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    expect(await server.sent()).toBe(2)
  })

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

  it("on another server return the outcome", async () => {
    const state = stateIn(temporaryFolder())
    await using upstream = await openSandbox()
    await using one = await guarded(route, state, { environment: upstream.env })
    await using two = await guarded(route, state, { environment: upstream.env })
    const slow = { ...sms, recipient: slowRecipient }
    const sending = one.send(slow)
    await upstream.until(({ requests }) => requests.length >= 1)
    const waiting = two.send(slow)
    // When another call has its result, the call on the other server is waiting.
    await two.client.callTool({ name: "preview_sms", arguments: { message: "x" } })
    await upstream.hurry()
    const sent = await sending
    expect(await waiting).toMatchObject({
      isError: false,
      duplicate: true,
      messageIds: sent.messageIds
    })
    expect(await upstream.messages()).toHaveLength(1)
  })
})

it("two servers on one file share duplicates and limits", async () => {
  const state = [...stateIn(temporaryFolder()), "--max-sends-per-hour", "3"]
  await using upstream = await openSandbox()
  await using one = await guarded(anyRoute, state, { environment: upstream.env })
  await using two = await guarded(anyRoute, state, { environment: upstream.env })
  const share = (texts: ReadonlyArray<string>) =>
    Promise.all(texts.map((message, at) => (at % 2 === 0 ? one : two).send({ ...sms, message })))
  const same = await share(Array.from({ length: 100 }, () => sms.message))
  expect(same.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
  expect(same.filter(({ duplicate }) => duplicate === true)).toHaveLength(99)
  const others = await share(Array.from({ length: 10 }, (_, at) => `Text ${at}`))
  expect(others.filter(({ isError }) => !isError)).toHaveLength(2)
  expect(await upstream.messages()).toHaveLength(3)
})

/** A state in which no outcome of the given kind can be written, as on a disk that is full. */
const stateWithout = (outcome: "sent" | "unknown") => {
  const file = join(temporaryFolder(), "sends.sqlite")
  return {
    args: ["--journal", file],
    refuse: () => {
      const database = new DatabaseSync(file)
      onTestFinished(() => database.close())
      database.exec(
        `create trigger refuse before update on send when new.state = '${outcome}'
        begin select raise(fail, 'database or disk is full'); end`
      )
    }
  }
}

it("a send that went out is never sent again when its outcome cannot be written", async () => {
  const { args, refuse } = stateWithout("sent")
  await using server = await guarded(anyRoute, args)
  await server.send({ ...sms, message: "The first send makes the tables" })
  refuse()
  expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
  // The claim without an outcome reads as unknown from now on.
  server.pass("2 minutes")
  expect((await server.send(sms)).error).toMatchObject({ code: "unknown_not_resent" })
  expect(await server.sent()).toBe(2)
})

it("a later decision of a person comes before an unknown outcome that cannot be written", async () => {
  const { args, refuse } = stateWithout("unknown")
  await using server = await guarded(anyRoute, args)
  await server.send({ ...sms, message: "The first send makes the tables" })
  refuse()
  await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  expect((await server.send(sms)).error).toMatchObject({ code: "send_unknown" })
  server.pass("2 minutes")
  expect((await server.send(sms)).error).toMatchObject({ code: "unknown_not_resent" })
  const { stdout } = await operate(["sends", "--unknown", ...args])
  await operate(["resolve", "--id", String(JSON.parse(stdout).id), "--resend", "--yes", ...args])
  expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
})

it("a send in flight is unknown, and sent by no other call, if the clock jumps in the meantime", async () => {
  await using server = await guarded(anyRoute, [], { person: () => approve })
  const slow = { ...sms, recipient: slowRecipient }
  const sending = server.send(slow)
  await server.upstream.until(({ requests }) => requests.length >= 1)
  server.pass("1 hour")
  expect((await server.send(slow)).error).toMatchObject({ code: "unknown_not_resent" })
  await server.upstream.hurry()
  const { messageIds } = await sending
  // Its response wins, however late it is.
  expect(await server.send(slow)).toMatchObject({ isError: false, duplicate: true, messageIds })
  expect(await server.sent()).toBe(1)
})
