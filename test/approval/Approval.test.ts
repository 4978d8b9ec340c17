import { createRequestStateCodec } from "@modelcontextprotocol/server"
import { createHmac, randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { errorBody } from "../harness/Contract.ts"
import {
  resultOf,
  guarded,
  type Modern,
  decline,
  type Sms,
  serve,
  speakModern,
  approve
} from "../harness/mcp/GuardedServer.ts"
import { type RealSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const sms: Sms = {
  recipient: "+254700000001",
  message: "Hello",
  sender_id: "ACME",
  scheduled_time: "2030-01-01T08:00:00Z"
}

/** Starts a server, on its own service or on a shared one. */
const open = (args: ReadonlyArray<string> = [], shared?: RealSandbox) =>
  serve("stdio", args, shared?.env ?? {}, speakModern)

const ask = async (modern: Modern, args: Sms = sms): Promise<string> => {
  const question = await modern.request({ arguments: args })
  expect(question).toMatchObject({
    resultType: "input_required",
    inputRequests: { confirm: { method: "elicitation/create" } },
    requestState: expect.any(String)
  })
  return String(question["requestState"])
}

const decide = async (
  modern: Modern,
  requestState: unknown,
  args: Sms = sms,
  action: unknown = approve
) =>
  resultOf(
    await modern.request({ arguments: args, requestState, inputResponses: { confirm: action } })
  )

const bodyOf = (state: string): string =>
  state.slice(state.indexOf(".") + 1, state.lastIndexOf("."))

const tampered = (state: string, change: (envelope: Record<string, unknown>) => object): string => {
  const body = bodyOf(state)
  const envelope: unknown = JSON.parse(Buffer.from(body, "base64url").toString())
  const changed = change({ ...(envelope as object) })
  return state.replace(body, Buffer.from(JSON.stringify(changed)).toString("base64url"))
}

describe("an approval, modern over stdio", () => {
  it("sends once, and its state contains neither number nor text", async () => {
    await using server = await open()
    const state = await ask(server)
    expect(await server.sent()).toBe(0)
    expect(Buffer.from(bodyOf(state), "base64url").toString()).not.toMatch(/254700000001|Hello/)
    expect(await decide(server, state)).toMatchObject({ isError: false, duplicate: false })
    expect(await server.upstream.messages()).toEqual([expect.objectContaining(sms)])
  })

  it("sends one SMS when ten concurrent calls use it, and no other says that it did not go out", async () => {
    await using server = await open()
    const state = await ask(server)
    const results = await Promise.all(Array.from({ length: 10 }, () => decide(server, state)))
    expect(results.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
    for (const { error, isError } of results) {
      if (isError) expect(error).toMatchObject({ code: "in_flight_elsewhere", outcome: "unknown" })
    }
    results.push(await decide(server, state))
    expect(results.at(-1)?.duplicate).toBe(true)
    const sent = results.filter(({ isError }) => !isError)
    expect(new Set(sent.flatMap(({ messageIds }) => messageIds)).size).toBe(1)
    expect(await server.sent()).toBe(1)
  })

  it("does not cover what another approval, read at the same time, may have sent to the number", async () => {
    await using server = await open()
    await server.upstream.setFault({ fault: "ResetAfterAcceptance", times: 4 })
    const reworded = { ...sms, message: "Hello there" }
    const states = [await ask(server), await ask(server, reworded)]
    const ended = await Promise.all([
      decide(server, states[0]),
      decide(server, states[1], reworded)
    ])
    expect(await server.sent()).toBe(1)
    expect(new Set(ended.map(({ error }) => error["code"]))).toEqual(
      new Set(["approval_invalid", "send_unknown"])
    )
    const batches = ["Dinner", "Dinner?"].map((message) => ({
      message,
      recipients: ["+254700000002", message === "Dinner" ? "+254700000003" : "+254700000004"]
    }))
    const call = (args: object | undefined, round: object = {}) =>
      server.request({ name: "send_sms_batch", arguments: args, ...round })
    const asked = await Promise.all(batches.map((args) => call(args)))
    const sent = await Promise.all(
      asked.map(({ requestState }, at) =>
        call(batches[at], { requestState, inputResponses: { confirm: approve } })
      )
    )
    expect(await server.sent()).toBe(4)
    const causes = sent.map((each) => resultOf(each).structured["causes"])
    expect(causes).toContainEqual(
      expect.arrayContaining([expect.objectContaining({ code: "approval_invalid", rows: "1" })])
    )
  })

  it("of a batch that two calls use at once leaves all of its SMS in doubt for the second", async () => {
    await using server = await open()
    const recipients = ["+254700000002", "+254700000003"]
    const usedAtOnce = async (message: string) => {
      const call = (round: object = {}) =>
        server.request({ name: "send_sms_batch", arguments: { message, recipients }, ...round })
      const { requestState } = await call()
      const round = { requestState, inputResponses: { confirm: approve } }
      const ends = (await Promise.all([call(round), call(round)])).map(resultOf)
      return ends.find(({ error }) => error["code"] === "approval_used")
    }
    let [tries, used] = [1, await usedAtOnce("Hello 1")]
    // On a busy machine, the second call may begin when the SMS are in flight or sent already.
    while (used === undefined && tries < 20) used = await usedAtOnce(`Hello ${++tries}`)
    expect(await server.sent()).toBe(2 * tries)
    expect(used?.error).toMatchObject({ code: "approval_used", outcome: "unknown" })
    expect(used?.text).toContain("It is still unknown of 2 of its 2 SMS whether")
  })

  it("stays refused beside a first send that is in flight", async () => {
    await using server = await open()
    const slow = { ...sms, recipient: slowRecipient }
    const [first, second] = [await ask(server, slow), await ask(server, slow)]
    const sending = decide(server, first, slow)
    await server.upstream.until(({ requests }) => requests.length >= 1)
    const declined = await decide(server, second, slow, decline)
    expect(declined.error).toMatchObject({ code: "confirmation_declined" })
    await server.upstream.hurry()
    expect(await sending).toMatchObject({ isError: false, duplicate: false })
    expect(await decide(server, second, slow)).toMatchObject({ duplicate: true })
    expect(await server.sent()).toBe(1)
  })

  it("that is declined for a batch does not wait for a row that is in flight", async () => {
    await using server = await open()
    const slow: Sms = { recipient: slowRecipient, message: "Hello" }
    const sending = decide(server, await ask(server, slow), slow)
    await server.upstream.until(({ requests }) => requests.length >= 1)
    const rows = { message: "Hello", recipients: [slowRecipient, "+254700000001"] }
    const call = (round: object = {}) =>
      server.request({ name: "send_sms_batch", arguments: rows, ...round })
    const { requestState } = await call()
    const declined = await call({ requestState, inputResponses: { confirm: decline } })
    expect(resultOf(declined).structured).toMatchObject({
      outcome: "unknown",
      causes: [{ code: "in_flight_elsewhere" }, { code: "confirmation_declined" }]
    })
    await server.upstream.hurry()
    expect(await sending).toMatchObject({ isError: false })
  })

  it("that is declined for a batch does not hide that it was sent meanwhile", async () => {
    await using server = await open()
    const rows = { message: "Hello", recipients: ["+254700000001", "+254700000002"] }
    const call = async (round: object = {}) =>
      resultOf(await server.request({ name: "send_sms_batch", arguments: rows, ...round }))
    const stateOf = async () =>
      (await server.request({ name: "send_sms_batch", arguments: rows }))["requestState"]
    const [late, first] = [await stateOf(), await stateOf()]
    await call({ requestState: first, inputResponses: { confirm: approve } })
    const { structured } = await call({ requestState: late, inputResponses: { confirm: decline } })
    expect(structured).toMatchObject({ outcome: "sent", sent: 2, sent_by_this_call: false })
    expect(await server.sent()).toBe(2)
  })

  it("of a batch sends the rest, and a row that was sent again since can be approved once more", async () => {
    await using server = await open()
    const unknown: Sms = { recipient: "+15550000500", message: "Hello" }
    const rows = { message: "Hello", recipients: [unknown.recipient, "+254700000001"], again: true }
    const call = (round: object = {}) =>
      server.request({ name: "send_sms_batch", arguments: rows, ...round })
    await decide(server, await ask(server, unknown), unknown)
    const { requestState } = await call()
    const again = { ...unknown, again: true }
    await decide(server, await ask(server, again), again)
    const approved = await call({ requestState, inputResponses: { confirm: approve } })
    expect(resultOf(approved).structured).toMatchObject({
      sent: 1,
      causes: [
        { code: "unknown_not_resent", next: expect.stringContaining("again: true, which a person") }
      ]
    })
  })

  it("is not valid for other arguments", async () => {
    await using server = await open()
    const swaps: ReadonlyArray<Sms> = [
      { ...sms, recipient: "+254700000002" },
      { ...sms, message: "Hello!" },
      { ...sms, sender_id: "OTHER" },
      { ...sms, scheduled_time: "2030-01-01T09:00:00Z" },
      { recipient: sms.recipient, message: sms.message },
      { ...sms, sender_id: "2030-01-01T08:00:00Z", scheduled_time: "ACME" },
      // They look the same, and are not what was asked.
      { ...sms, message: `${sms.message}\u200b` },
      { ...sms, sender_id: `${sms.sender_id} ` },
      { ...sms, scheduled_time: `${sms.scheduled_time} ` }
    ]
    const state = await ask(server)
    for (const swapped of swaps) {
      const refused = await decide(server, state, swapped)
      expect(refused.error, JSON.stringify(swapped)).toMatchObject({ code: "approval_invalid" })
      expect(refused.text).toMatch(
        /^This call sent nothing: the question is no longer valid: the call or/
      )
    }
    expect(await server.sent()).toBe(0)
    // A mismatch did not use the approval.
    expect(await decide(server, state)).toMatchObject({ isError: false })
  })

  it("of a batch is valid for exactly its rows", async () => {
    await using server = await open()
    const rows = { message: "Hello", recipients: ["+254700000001", "+254700000002"] }
    const call = (args: object, round: object = {}) =>
      server.request({ name: "send_sms_batch", arguments: args, ...round })
    const others = [
      { ...rows, message: "Hello." },
      { ...rows, sender_id: "ACME" },
      { ...rows, recipients: rows.recipients.toReversed() },
      { ...rows, recipients: rows.recipients.slice(1) },
      { ...rows, recipients: [...rows.recipients, "+15550100123"] }
    ]
    for (const other of others) {
      const { requestState } = await call(rows)
      const decided = { requestState, inputResponses: { confirm: approve } }
      const { error } = resultOf(await call(other, decided))
      expect(error).toMatchObject({ code: "approval_invalid", outcome: "not-sent" })
    }
    expect(await server.sent()).toBe(0)
  })

  it("of a first send is not valid for a second one", async () => {
    await using server = await open()
    const unknown = { recipient: "+15550000500", message: "Hello" }
    const unused = await ask(server, unknown)
    await decide(server, await ask(server, unknown), unknown)
    const again = { ...unknown, again: true }
    expect((await decide(server, unused, again)).error["code"]).toBe("unknown_not_resent")
    expect(await server.upstream.requests()).toHaveLength(1)
    expect((await decide(server, await ask(server, again), again)).error).toMatchObject({
      code: "send_unknown"
    })
    expect(await server.upstream.requests()).toHaveLength(2)
  })

  it("of a first send is not valid once the service refused the same SMS", async () => {
    await using server = await open()
    const first = await ask(server)
    const body = JSON.stringify(errorBody(400))
    await server.upstream.setFault({ fault: "Response", status: 400, body, times: 1 })
    expect((await decide(server, await ask(server))).error).toMatchObject({ code: "send_failed" })
    const refused = await decide(server, first)
    expect(refused.error).toMatchObject({ code: "approval_invalid", outcome: "not-sent" })
    expect(await server.sent()).toBe(0)
  })

  it("is not used up by the limit", async () => {
    await using server = await open(["--max-sends-per-hour=1"])
    const other = { ...sms, message: "Other" }
    const [first, second] = [await ask(server), await ask(server, other)]
    expect(await decide(server, first)).toMatchObject({ isError: false })
    for (let twice = 0; twice < 2; twice += 1) {
      expect((await decide(server, second, other)).error).toMatchObject({
        code: "limit_reached",
        outcome: "not-sent"
      })
    }
  })

  it("is invalid if this server did not sign it", async () => {
    await using server = await open()
    const state = await ask(server)
    const payload: unknown = JSON.parse(Buffer.from(bodyOf(state), "base64url").toString())
    const p = (payload as { readonly p: unknown }).p
    const mac = state.slice(state.lastIndexOf(".") + 1)
    const forgeries: Readonly<Record<string, string>> = {
      empty: "",
      dots: "...",
      random: randomBytes(60).toString("base64url"),
      "random with the prefix": `v1.${randomBytes(60).toString("base64url")}.${mac}`,
      "longer life": tampered(state, (envelope) => ({ ...envelope, exp: 9_999_999_999 })),
      "other digest": tampered(state, (envelope) => ({
        ...envelope,
        p: { digest: "x", nonce: "y" }
      })),
      "other nonce": tampered(state, (envelope) => ({
        ...envelope,
        p: { ...(envelope["p"] as object), nonce: crypto.randomUUID() }
      })),
      "no caller": tampered(state, ({ b: _, ...envelope }) => envelope),
      "no signature": `${state.slice(0, state.lastIndexOf("."))}.`,
      "half a signature": state.slice(0, -20),
      "another key": await createRequestStateCodec({ key: randomBytes(32), ttlSeconds: 600 }).mint(
        p
      ),
      long: "v1.".padEnd(20_000, "A")
    }
    for (const [what, forged] of Object.entries(forgeries)) {
      const refused = await decide(server, forged)
      expect(refused.error, what).toMatchObject({ code: "approval_invalid" })
      expect(refused.text).toMatch(
        /^This call sent nothing: the question is no longer valid: .* started anew/
      )
    }
    expect(await server.sent()).toBe(0)
    expect(await decide(server, state)).toMatchObject({ isError: false })
  })

  it("is one approval in every spelling of its signature", async () => {
    await using server = await open()
    const state = await ask(server)
    // The last character of the signature has unused bits.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for (const last of [...alphabet, state.slice(-1), `${state.slice(-1)}=`]) {
      await decide(server, `${state.slice(0, -1)}${last}`)
      await decide(server, `${state} `)
    }
    expect(await server.sent()).toBe(1)
  })

  it("needs its state, which is a text", async () => {
    await using server = await open()
    await ask(server)
    for (const requestState of [undefined, 0, true, null, [], {}, { digest: "x", nonce: "y" }]) {
      const refused = await server.request({
        arguments: sms,
        inputResponses: { confirm: approve },
        ...(requestState === undefined ? {} : { requestState })
      })
      if (requestState === undefined) {
        expect(resultOf(refused).error).toMatchObject({ code: "approval_invalid" })
      }
      expect("code" in refused || refused["isError"] === true).toBe(true)
    }
    expect(await server.sent()).toBe(0)
  })

  it("needs its decision: without one, the person is asked again", async () => {
    await using server = await open()
    const state = await ask(server)
    const asking: ReadonlyArray<unknown> = [
      undefined,
      {},
      { confirm: {} },
      { confirm: { content: { action: "accept" } } },
      { confirmed: approve },
      { confirm: { method: "elicitation/create", result: approve } },
      { confirm: { role: "assistant", content: "accept" } }
    ]
    const malformed = [[approve], "accept", null, { confirm: "accept" }, { confirm: [approve] }]
    for (const inputResponses of [...asking, ...malformed]) {
      const result = await server.request({
        arguments: sms,
        requestState: state,
        ...(inputResponses === undefined ? {} : { inputResponses })
      })
      if (!asking.includes(inputResponses)) continue
      expect(result, JSON.stringify(inputResponses)).toMatchObject({ resultType: "input_required" })
      expect(result["requestState"]).not.toBe(state)
    }
    expect(await server.sent()).toBe(0)
  })

  it("is only the action accept: every other action is a refusal", async () => {
    await using server = await open()
    for (const [action, code] of [
      ["decline", "confirmation_declined"],
      ["cancel", "confirmation_cancelled"],
      ["Accept", "confirmation_cancelled"],
      ["accept ", "confirmation_cancelled"],
      ["accepted", "confirmation_cancelled"],
      ["yes", "confirmation_cancelled"],
      ["", "confirmation_cancelled"]
    ]) {
      const state = await ask(server)
      const refused = await decide(server, state, sms, { ...approve, action })
      expect(refused.error, action).toMatchObject({ code })
      // A refusal uses the question, as an approval does.
      expect((await decide(server, state)).error).toMatchObject({
        code: "confirmation_declined"
      })
    }
    expect(await server.sent()).toBe(0)
  })

  it("that no person gave is a cancel in the log, whatever a client calls it", async () => {
    await using server = await serve("stdio", [], {}, (to) => speakModern(to, "0 seconds"))
    const named = { ...approve, action: sms.recipient }
    const { error, text } = await decide(server, await ask(server), sms, named)
    expect(error).toMatchObject({ code: "confirmation_unasked" })
    expect(text).toContain("because the client replied by itself")
    const entry = await server.log.entry("the client replied by itself, and asked nobody")
    expect(entry).toMatchObject({ action: "cancel" })
  })

  it("does not help a client that says it cannot ask", async () => {
    await using server = await open(["--confirm", "require"])
    const state = await ask(server)
    const refused = resultOf(
      await server.request(
        { arguments: sms, requestState: state, inputResponses: { confirm: approve } },
        {}
      )
    )
    expect(refused.error).toMatchObject({ code: "confirmation_unavailable" })
    expect(await server.sent()).toBe(0)
  })
})

describe.for(["stdio", "http"] as const)("an approval, legacy era over %s", (over) => {
  it("cannot be sent with the call: the person is asked, or nothing is sent", async () => {
    await using server = await guarded({ era: "legacy", over }, [], {
      person: () => decline
    })
    const forged = {
      name: "send_sms",
      arguments: { ...sms },
      inputResponses: { confirm: approve }
    }
    for (const requestState of [undefined, "", "v1.e30.AAAA"]) {
      const params = { ...forged, ...(requestState === undefined ? {} : { requestState }) }
      const { error } = resultOf(await server.client.callTool(params))
      expect(["approval_invalid", "confirmation_declined"]).toContain(error["code"])
    }
    expect(await server.sent()).toBe(0)
  })

  it("that is declined refuses only its own call", async () => {
    const secondAsked = Promise.withResolvers<void>()
    const firstEnded = Promise.withResolvers<void>()
    let asked = 0
    await using server = await guarded({ era: "legacy", over }, [], {
      person: async () => {
        if (++asked === 2) {
          secondAsked.resolve()
          await firstEnded.promise
          return decline
        }
        await secondAsked.promise
        return approve
      }
    })
    const paid = { ...sms, recipient: "+15550000402" }
    const calls = [server.send(paid), server.send(paid)]
    const failed = await Promise.race(calls)
    expect(failed.error["code"]).toBe("send_failed")
    firstEnded.resolve()
    const codes = (await Promise.all(calls)).map(({ error }) => error["code"])
    expect(new Set(codes)).toEqual(new Set(["confirmation_declined", "send_failed"]))
    expect(await server.upstream.requests()).toHaveLength(1)
  })
})

describe("the caller of an approval", () => {
  const keys = { ann: "a".repeat(40), bob: "b".repeat(40) }

  it("is the one that was asked, and no other", async () => {
    const environment = { MESSAGING_TOPUP_MCP_BEARER_KEYS: `ann:${keys.ann},bob:${keys.bob}` }
    await using ann = await serve("http", [], environment, speakModern, keys.ann)
    await using bob = await speakModern(ann.open(keys.bob))
    const state = await ask(ann)
    expect((await decide(bob, state)).error).toMatchObject({ code: "approval_invalid" })
    expect(await ann.upstream.messages()).toEqual([])
    // An attempt of another caller does not use it.
    expect(await decide(ann, state)).toMatchObject({ isError: false })
    expect(await ann.upstream.messages()).toHaveLength(1)
  })
})

describe("--approval-key-file", () => {
  const keyFile = (bytes: Uint8Array): string => {
    const path = join(temporaryFolder(), "approval.key")
    writeFileSync(path, bytes, { mode: 0o600 })
    return path
  }

  it("is needed: servers without it, or with another key, refuse the approval", async () => {
    await using first = await open()
    await using second = await open([], first.upstream)
    const args = ["--approval-key-file", keyFile(randomBytes(48))]
    await using third = await open(args, first.upstream)
    for (const [asking, deciding] of [
      [first, second],
      [first, third],
      [third, first]
    ] as const) {
      const state = await ask(asking)
      expect((await decide(deciding, state)).error).toMatchObject({
        code: "approval_invalid"
      })
    }
    expect(await first.sent()).toBe(0)
  })

  it("and the same journal are not enough: an approval is for its own service", async () => {
    const state = join(temporaryFolder(), "sends.sqlite")
    const key = keyFile(randomBytes(48))
    const args = ["--journal", state, "--approval-key-file", key]
    await using live = await open(args)
    await using replica = await open(args, live.upstream)
    await using trial = await open(args)
    const asked = await ask(trial)
    expect((await decide(live, asked)).error).toMatchObject({ code: "approval_invalid" })
    expect(await live.sent()).toBe(0)
    expect(await decide(replica, await ask(live))).toMatchObject({ isError: false })
    expect(await live.sent()).toBe(1)
  })

  // The monotonic time of another process says nothing. Here it would make a person of a client, and a client of a person.
  it.each([
    [-1, approve, "input_required"],
    [-1, decline, "confirmation_declined"],
    [299, approve, "confirmation_unavailable"],
    [300, approve, "complete"],
    [299, decline, "confirmation_unasked"],
    [300, decline, "confirmation_declined"],
    [601_000, approve, "confirmation_cancelled"]
  ] as const)(
    "of a question that a replica asked tells the clock who decided: %i ms, %o",
    async (millis, action, end) => {
      const key = randomBytes(48)
      const args = ["--approval-key-file", keyFile(key)]
      await using server = await serve("stdio", args, {}, (to) => speakModern(to, "0 seconds"))
      const state = tampered(await ask(server), (envelope) => {
        const question = envelope["p"] as { readonly askedAt: number }
        return { ...envelope, p: { ...question, askedAt: question.askedAt - millis } }
      })
      const [shown, , askedWhen, version, body] = state.split(/[ .]/)
      const time = Number(askedWhen) - 450 + 2 * millis
      const signature = createHmac("sha256", key).update(`${version}.${body}`).digest("base64url")
      const another = `${crypto.randomUUID()} ${time}`
      const requestState = `${shown} ${another} ${version}.${body}.${signature}`
      const inputResponses = { confirm: action }
      const replied = await server.request({ arguments: sms, requestState, inputResponses })
      expect(resultOf(replied).error["code"] ?? replied["resultType"]).toBe(end)
      expect(await server.sent()).toBe(end === "complete" ? 1 : 0)
    }
  )
})
