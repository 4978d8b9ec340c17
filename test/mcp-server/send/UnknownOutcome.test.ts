import type { Fault } from "@messaging-topup/sandbox"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import type { ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import { errorBody } from "../../support/Contract.ts"
import { openRespondingUpstream } from "../support/RespondingUpstream.ts"
import {
  approve,
  connect,
  decline,
  eachOnce,
  type Guarded,
  guarded,
  startGuarded,
  stdioRoutes
} from "../support/GuardedServer.ts"

const to500 = { recipient: "+15550000500", message: "Hello" }
const sms = { recipient: "+254700000001", message: "Hello" }

/** Long enough to receive the headers of a response on a busy machine. */
const shortly = { MESSAGING_TOPUP_TIMEOUT: "500 millis" }

const doNotResend = /Do not send it again: it may have gone out/

/** Counts what the service received and what it accepted. */
const heard = async (server: Guarded) => (await server.upstream.requests()).length

describe.for(eachOnce)("$era over $over", (route) => {
  it("never resends an SMS of unknown outcome for another call, also after the window", async () => {
    await using server = await guarded(route, ["--duplicate-window", "1 minute"])
    const first = await server.send(to500)
    expect(first.isError).toBe(true)
    expect(first.error).toMatchObject({ code: "send_unknown", outcome: "unknown" })
    expect(first.text).toMatch(/^It is unknown whether the SMS was sent\./)
    expect(first.text).toMatch(doNotResend)
    for (const time of ["0 seconds", "2 minutes", "2 hours", "21 hours"] as const) {
      server.pass(time)
      const again = await server.send({ ...to500, recipient: "+1 555 000 0500" })
      expect(again.error).toMatchObject({ code: "unknown_not_resent", outcome: "unknown" })
      expect(again.text).toMatch(/^The SMS was not sent by this call: .* it is unknown whether/)
      expect(again.text).toMatch(doNotResend)
    }
    expect(await heard(server)).toBe(1)
  })

  it("resends it with resend_unknown after an approval, and then it is sent", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    expect((await server.send(sms)).error["code"]).toBe("send_unknown")
    const again = await server.send({ ...sms, resend_unknown: true })
    expect(again).toMatchObject({ isError: false, duplicate: false })
    expect(server.questions).toHaveLength(2)
    expect(server.questions[1]).toMatch(/^Send this SMS AGAIN\? .* it can arrive twice\./)
    // The outcome is known now, so it neither asks nor sends.
    expect(await server.send({ ...sms, resend_unknown: true })).toMatchObject({ duplicate: true })
    expect(server.questions).toHaveLength(2)
    expect(await server.sent()).toBe(2)
  })
})

describe.for(stdioRoutes)("$era over $over", (route) => {
  const unknowns: Readonly<Record<string, Fault>> = {
    "is reset": { fault: "ResetAfterAcceptance" },
    "is reset before acceptance": { fault: "ResetBeforeAcceptance" },
    "brings no response in time": { fault: "NoResponse", accept: true }
  }

  it("does not resend after a lost connection or a time-out", async () => {
    await using server = await guarded(route, [], { environment: shortly })
    let calls = 0
    for (const [what, fault] of Object.entries(unknowns)) {
      const one = { recipient: "+1", message: `The connection ${what}` }
      await server.upstream.setFault({ ...fault, times: 1 })
      expect((await server.send(one)).error, what).toMatchObject({
        code: "send_unknown",
        outcome: "unknown"
      })
      expect((await server.send(one)).error["code"]).toBe("unknown_not_resent")
      expect(await heard(server)).toBe(++calls)
    }
  })

  for (const confirm of ["auto", "require", "off"]) {
    it(`asks before it resends with --confirm ${confirm}, and accepts a refusal`, async () => {
      let response = approve
      await using server = await guarded(route, ["--confirm", confirm], { person: () => response })
      await server.send(to500)
      const before = server.questions.length
      expect(before).toBe(confirm === "off" ? 0 : 1)
      response = decline
      const declined = await server.send({ ...to500, resend_unknown: true })
      expect(declined.error["code"]).toBe("confirmation_declined")
      expect(declined.text).toMatch(/^This call sent nothing: the person declined\./)
      expect(server.questions.slice(before)).toEqual([
        expect.stringMatching(/^Send this SMS AGAIN/)
      ])
      expect(await heard(server)).toBe(1)
      // After the refusal, the outcome is still unknown.
      expect((await server.send(to500)).error["code"]).toBe("unknown_not_resent")
      response = approve
      expect((await server.send({ ...to500, resend_unknown: true })).error["code"]).toBe(
        "send_unknown"
      )
      expect(await heard(server)).toBe(2)
      expect((await server.send(to500)).error["code"]).toBe("unknown_not_resent")
      expect(await heard(server)).toBe(2)
    })

    it(`does not resend with --confirm ${confirm} if no person can be asked`, async () => {
      // The first send needs a client that can ask, and over stdio there is only one client.
      await using server = await guarded({ ...route, over: "http" }, ["--confirm", confirm], {
        person: () => approve
      })
      await using mute = await server.another()
      await server.send(to500)
      const refused = await mute.send({ ...to500, resend_unknown: true })
      expect(refused.error).toMatchObject({ code: "confirmation_unavailable" })
      expect(refused.text).toMatch(/^The SMS was not sent: an earlier send of it has an unknown/)
      expect(await heard(server)).toBe(1)
    })
  }

  it("after two unknown sends says how many may have arrived, and advises to stop", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    const first = await server.send(to500)
    expect(first.text).toContain("Only when the person accepts that it may arrive twice")
    expect(first.error).not.toHaveProperty("tries")
    for (const tries of [2, 3]) {
      const second = await server.send({ ...to500, resend_unknown: true })
      const repeated = await server.send(to500)
      for (const { error, text } of [second, repeated]) {
        expect(error).toMatchObject({ outcome: "unknown", tries })
        expect(text).toContain(`Stop here: ${tries} sends of this SMS may have arrived`)
        expect(text).toContain(`the SMS may then arrive ${tries + 1} times.`)
        expect(text).not.toContain("twice")
      }
    }
    expect(await heard(server)).toBe(3)
  })

  it("shares one second send between concurrent calls", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send(sms)
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => server.send({ ...sms, resend_unknown: true }))
    )
    expect(responses.map(({ isError }) => isError)).toEqual(responses.map(() => false))
    expect(responses.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    expect(await server.sent()).toBe(2)
  })

  it("keeps the outcome unknown if the second send does not go out", async () => {
    await using server = await guarded(route, [], { person: () => approve })
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 1 })
    await server.send(sms)
    await server.upstream.setFault({ fault: "Response", status: 429, body: "", times: 1 })
    const failed = await server.send({ ...sms, resend_unknown: true })
    expect(failed.error).toMatchObject({ code: "resend_failed", outcome: "unknown" })
    expect(failed.text).toMatch(
      /^It is still unknown whether the SMS was sent: the second send did/
    )
    expect(failed.text).toMatch(doNotResend)
    expect((await server.send(sms)).error["code"]).toBe("unknown_not_resent")
    expect(await server.sent()).toBe(1)
    expect(await server.send({ ...sms, resend_unknown: true })).toMatchObject({ isError: false })
    expect(await server.sent()).toBe(2)
  })

  it("returns unknown to calls that wait for a second send that does not go out", async () => {
    await using upstream = await openRespondingUpstream()
    await using server = await startGuarded(route.over, [], upstream.environment)
    await using connection = await connect(route.era, server.open(), () => approve)
    upstream.respondWith((_, response) => response.destroy())
    expect((await connection.send(sms)).error["code"]).toBe("send_unknown")
    const held = Promise.withResolvers<ServerResponse>()
    upstream.respondWith((_, response) => held.resolve(response))
    const resend = connection.send({ ...sms, resend_unknown: true })
    const response = await held.promise
    const waiting = [connection.send(sms), connection.send({ ...sms, resend_unknown: true })]
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
    expect(failed.text).toMatch(
      /^It is still unknown whether the SMS was sent: the second send did/
    )
    for (const { error, text } of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: "unknown_not_resent", outcome: "unknown" })
      expect(text).toMatch(doNotResend)
    }
    expect(upstream.received).toHaveLength(1)
  })

  it("sends as usual with resend_unknown if no outcome is unknown", async () => {
    await using server = await guarded(route, ["--confirm", "off"])
    expect(await server.send({ ...sms, resend_unknown: true })).toMatchObject({ duplicate: false })
    expect(await server.send({ ...sms, resend_unknown: true })).toMatchObject({ duplicate: true })
    expect(await server.sent()).toBe(1)
  })

  const unreadables: Readonly<Record<string, Fault>> = {
    "is broken JSON": { fault: "TruncatedJson" },
    "stops after its headers": { fault: "HeadersThenSilence" },
    "breaks off": { fault: "BodyCutOff" }
  }

  it("says after an unreadable response to an accepted SMS: do not send it again", async () => {
    await using server = await guarded(route, [], { environment: shortly })
    let calls = 0
    for (const [what, fault] of Object.entries(unreadables)) {
      const one = { recipient: "+1", message: `The response ${what}` }
      await server.upstream.setFault({ ...fault, times: 1 })
      const first = await server.send(one)
      expect(first, what).toMatchObject({ isError: false, duplicate: false, messageIds: [] })
      expect(first.text).toMatch(
        /^The SMS was sent: the service accepted it\. Do not send it again, unless the person wants a second copy\. No message_id is known/
      )
      for (const resend_unknown of [false, true]) {
        const again = await server.send({ ...one, resend_unknown })
        expect(again).toMatchObject({ isError: false, duplicate: true, messageIds: [] })
        expect(again.text).toMatch(/^This call sent nothing: an earlier call sent the same SMS/)
        expect(again.text).toContain("No message_id is known")
      }
      expect(await heard(server)).toBe(++calls)
    }
  })

  it("sends for another call what did not go out", async () => {
    await using server = await guarded(route)
    let calls = 0
    for (const suffix of ["0400", "0401", "0402", "0403", "0404", "0429"]) {
      for (let time = 1; time <= 2; time++) {
        const response = await server.send({ recipient: `+1555000${suffix}`, message: "Hello" })
        expect(response.error, suffix).toMatchObject({
          code: "send_failed",
          outcome: "not-sent",
          http_status: Number(suffix)
        })
        expect(response.text).toMatch(/^The SMS was not sent\./)
        expect(await heard(server)).toBe(++calls)
      }
    }
  })

  it("sends for another call what could not reach the service", async () => {
    const { baseUrl, close, token } = await startSandbox()
    await close()
    await using server = await guarded(route, [], {
      environment: { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token }
    })
    const refused = await server.send(sms)
    expect(refused.error).toMatchObject({ error: "ConnectionFailed", outcome: "not-sent" })
    expect(refused.text).toMatch(/^The SMS was not sent\. The service could not be reached\./)
    await using back = await startSandbox({ port: Number(new URL(baseUrl).port), token })
    expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
    expect(await back.messages()).toHaveLength(1)
  })

  it("returns the failure of a shared send to all concurrent calls", async () => {
    await using server = await guarded(route)
    const paid = { recipient: "+15550000402", message: "Hello" }
    const responses = await Promise.all(Array.from({ length: 5 }, () => server.send(paid)))
    for (const { error } of responses) expect(error).toMatchObject({ outcome: "not-sent" })
    expect(await server.sent()).toBe(0)
  })
})
