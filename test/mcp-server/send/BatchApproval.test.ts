import { describe, expect, it } from "vitest"
import { Disposables } from "../support/Disposables.ts"
import {
  approve,
  decline,
  resultOf,
  type Sms,
  speakModern,
  startGuarded
} from "../support/GuardedServer.ts"
import { openSandbox } from "../support/RealSandbox.ts"

const message = "Your table is ready."

/** The sandbox refuses both: so nothing is remembered of them, and the same call would send again. */
const refused = { message, recipients: ["+15551000400", "+15551010400"] }

const open = async (args: ReadonlyArray<string> = []) => {
  await using stack = new Disposables()
  const upstream = stack.use(await openSandbox())
  const server = stack.use(await startGuarded("stdio", args, upstream.env))
  const modern = await speakModern(server.open())
  const call = (rows: object, round: object = {}) =>
    modern.request({ name: "send_sms_batch", arguments: rows, ...round })
  const kept = stack.move()
  return {
    received: async () => (await upstream.requests()).length,
    pass: server.pass,
    /** Sends a single SMS, and nobody is asked. */
    sendOne: (sms: Sms) => modern.request({ arguments: sms }, false),
    /** Returns the state of the question. */
    ask: async (rows: object) => String((await call(rows))["requestState"]),
    decide: async (rows: object, requestState: string, action: unknown) =>
      resultOf(await call(rows, { requestState, inputResponses: { confirm: action } })),
    [Symbol.asyncDispose]: () => kept.disposeAsync()
  }
}

describe("the approval of a batch", () => {
  it("is used once, also if nothing went out", async () => {
    await using server = await open()
    const state = await server.ask(refused)
    const first = await server.decide(refused, state, approve)
    expect(first.structured).toMatchObject({ outcome: "not-sent", not_sent: 2 })
    expect(await server.received()).toBe(2)
    for (const action of [approve, decline]) {
      const replayed = await server.decide(refused, state, action)
      expect(replayed.error).toMatchObject({ code: "approval_used", outcome: "unknown" })
    }
    expect(await server.received()).toBe(2)
  })

  it("is refused after the person declined the question", async () => {
    await using server = await open()
    const state = await server.ask(refused)
    for (const action of [decline, approve, approve]) {
      const { error } = await server.decide(refused, state, action)
      expect(error).toMatchObject({ code: "confirmation_declined", outcome: "not-sent" })
    }
    expect(await server.received()).toBe(0)
  })

  it("is valid for exactly these rows", async () => {
    await using server = await open()
    const others = [
      { ...refused, message: `${message}.` },
      { ...refused, sender_id: "ACME" },
      { ...refused, recipients: refused.recipients.toReversed() },
      { ...refused, recipients: refused.recipients.slice(1) },
      { ...refused, recipients: [...refused.recipients, "+15550100123"] }
    ]
    for (const other of others) {
      const state = await server.ask(refused)
      const { error } = await server.decide(other, state, approve)
      expect(error).toMatchObject({ code: "approval_mismatch", outcome: "not-sent" })
    }
    expect(await server.received()).toBe(0)
  })

  it("does not cover a row that was sent before the question, and could be sent again after it", async () => {
    await using server = await open(["--confirm", "auto", "--duplicate-window", "1 minute"])
    const one = "+254700000001"
    await server.sendOne({ recipient: one, message })
    expect(await server.received()).toBe(1)
    const both = { message, recipients: [one, "+254700000002"] }
    const state = await server.ask(both)
    server.pass("2 minutes")
    const { error } = await server.decide(both, state, approve)
    expect(error).toMatchObject({ code: "approval_mismatch", outcome: "not-sent" })
    expect(await server.received()).toBe(1)
  })
})
