import * as Form from "@messaging-topup/mcp-server/src/mcp/Form.ts"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import {
  eachOnce,
  type Reply,
  resultOf,
  type Route,
  serve,
  type Sms,
  speakLegacy,
  speakModern
} from "../harness/mcp/GuardedServer.ts"

/** What a host returns, of the form that it got. */
type Replies = (form: unknown) => object

const Fields = Schema.Struct({
  properties: Schema.Record(
    Schema.String,
    Schema.Struct({ default: Schema.optionalKey(Schema.Unknown) })
  )
})

/** As a host that skips a form: it returns its defaults. */
const skipped: Replies = (form) => {
  const { properties } = Schema.decodeUnknownSync(Fields)(form)
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    "default" in field ? [[name, field.default]] : []
  )
  return { action: "accept", content: Object.fromEntries(defaults) }
}

const accepted =
  (content: object | null): Replies =>
  () => ({ action: "accept", content })

const List = Schema.Struct({
  properties: Schema.Struct({
    whole: Schema.Struct({ items: Schema.Struct({ enum: Schema.Array(Schema.String) }) })
  })
})

/** Accepts with these of the lines of the question. */
const lines =
  (chosen: (all: ReadonlyArray<string>) => unknown): Replies =>
  (form) => {
    const { whole } = Schema.decodeUnknownSync(List)(form).properties
    return { action: "accept", content: { whole: chosen(whole.items.enum) } }
  }

const sent = "sent"
const cancelled = "confirmation_cancelled"
const declined = "confirmation_declined"
/** Cancelled, too, with other words: it was neither closed nor without a reply. */
const unclear = "not understood"

interface Case {
  readonly host: string
  readonly message: string
  readonly replies: Readonly<Record<string, readonly [reply: Replies, end: string]>>
}

const cases: Readonly<Record<string, Case>> = {
  "a choice, for a host that is not known": {
    host: "visual-studio-code",
    message: "Your table is ready",
    replies: {
      "the word Send": [accepted({ decision: "Send" }), sent],
      "the other word": [accepted({ decision: "Do not send" }), declined],
      "skipped, with the defaults": [skipped, unclear],
      "an empty form": [accepted({}), unclear],
      null: [accepted(null), unclear],
      "no content": [() => ({ action: "accept" }), unclear],
      "None, as for an optional field": [accepted({ decision: "None" }), unclear],
      "no value": [accepted({ decision: null }), unclear],
      "an empty text": [accepted({ decision: "" }), unclear],
      "a boolean": [accepted({ decision: true }), unclear],
      "a number": [accepted({ decision: 0 }), unclear],
      "a list": [accepted({ decision: ["Send"] }), unclear],
      "another spelling": [accepted({ decision: "send" }), unclear],
      "another field": [accepted({ Decision: "Send", confirm: true }), unclear],
      "an empty list, as PHP writes it": [accepted([]), unclear],
      "no form": [() => ({ action: "accept", content: "Send" }), unclear],
      "no action of a form": [() => ({ action: "send" }), unclear],
      "a decline with the word": [
        () => ({ action: "decline", content: { decision: "Send" } }),
        declined
      ],
      "a cancel with the word": [
        () => ({ action: "cancel", content: { decision: "Send" } }),
        cancelled
      ]
    }
  },
  "no field, for a host that shows that well": {
    host: "copilot-cli",
    message: "Your table is ready",
    replies: {
      "an empty form": [accepted({}), sent],
      null: [accepted(null), sent],
      "no content": [() => ({ action: "accept" }), sent],
      "an empty list, as PHP writes it": [accepted([]), sent],
      "no form": [() => ({ action: "accept", content: 0 }), unclear],
      decline: [() => ({ action: "decline" }), declined],
      "decline, with no form": [() => ({ action: "decline", content: "" }), declined],
      cancel: [() => ({ action: "cancel" }), cancelled]
    }
  },
  "a list, for a host that cuts questions": {
    host: "claude-code",
    message: "Your table is ready. ".repeat(10),
    replies: {
      "no list": [accepted({}), sent],
      "no content": [() => ({ action: "accept" }), sent],
      "skipped, with the defaults": [skipped, sent],
      "all lines": [lines((all) => all), sent],
      "all lines in another order": [lines((all) => all.toReversed()), sent],
      "all lines but one": [lines((all) => all.slice(1)), cancelled],
      "all lines but the last": [lines((all) => all.slice(0, -1)), cancelled],
      "one line often": [lines((all) => all.map(() => all[0])), cancelled],
      "an empty list": [lines(() => []), cancelled],
      "no value for a line": [lines((all) => [null, ...all.slice(1)]), cancelled],
      "other texts": [lines((all) => all.map((line) => `x${line}`)), cancelled],
      "numbers alone": [lines((all) => all.map((_, at) => at)), cancelled],
      "no value": [lines(() => null), cancelled],
      "another type": [lines((all) => all.join("\n")), cancelled]
    }
  }
}

/** A client of this name, which returns anything for a form. */
const open = ({ era, over }: Route, host: string) => {
  let reply: Replies = skipped
  return serve(over, [], {}, async (transport) => {
    if (era === "legacy") {
      const replyTo = (form: unknown): Reply => ({ result: reply(form) })
      const legacy = await speakLegacy(transport, replyTo, undefined, host)
      const send = (sms: Sms, given: Replies) => {
        reply = given
        return legacy.send(sms)
      }
      return { send, [Symbol.asyncDispose]: legacy[Symbol.asyncDispose] }
    }
    const modern = await speakModern(transport, undefined, host)
    const send = async (sms: Sms, given: Replies) => {
      const asked: Asked = Schema.decodeUnknownSync(Asked)(await modern.request({ arguments: sms }))
      const { requestState, inputRequests } = asked
      const confirm = given(inputRequests.confirm.params.requestedSchema)
      return resultOf(
        await modern.request({ arguments: sms, requestState, inputResponses: { confirm } })
      )
    }
    return { send, [Symbol.asyncDispose]: modern[Symbol.asyncDispose] }
  })
}

const Asked = Schema.Struct({
  requestState: Schema.String,
  inputRequests: Schema.Struct({
    confirm: Schema.Struct({ params: Schema.Struct({ requestedSchema: Schema.Unknown }) })
  })
})
type Asked = typeof Asked.Type

describe("the list of a question", () => {
  const amounts = [
    "14000",
    "$14000",
    "14,000.50",
    "1'400'000",
    "14 000",
    "+254700000001",
    "2026-11-28",
    "12:30"
  ]
  const before = [
    "请于今天向账户支付",
    "https://bank.example/pay?account=DE",
    "Dear member, it is ",
    "ж"
  ]
  const after = ["元，谢谢您的来信", "&amount=", " dollars", "ж"]

  it("ends no entry within a number, whose rest would be another amount", () => {
    for (const amount of amounts) {
      for (const [at, start] of before.entries()) {
        for (let offset = 0; offset < 40; offset++) {
          const text = `${start.repeat(40).slice(0, 40 + offset)}${amount}${after[at]?.repeat(20)}`
          const { params } = Form.make({ name: "claude-code" }, `Send this SMS? "${text}"`)
          const { whole } = Schema.decodeUnknownSync(List)(params.requestedSchema).properties
          const shown = whole.items.enum.map((line) => line.replace(/^\d+ /, ""))
          expect(shown.join("")).toBe(params.message)
          expect(shown.filter((line) => line.includes(amount))).toHaveLength(1)
          for (const line of whole.items.enum) {
            const columns = JSON.stringify(line).replace(/[\u1100-\u{10ffff}]/gu, "xx").length
            expect(columns).toBeLessThanOrEqual(46)
          }
        }
      }
    }
  })
})

describe.for(eachOnce)("$era over $over, the form of a question is", (route) => {
  it.each(Object.entries(cases))("%s", async (_, { host, message, replies }) => {
    await using server = await open(route, host)
    const ends: Record<string, unknown> = {}
    let at = 0
    for (const [title, [reply]] of Object.entries(replies)) {
      const sms = { recipient: `+2547000000${10 + at++}`, message }
      const { error, structured, text } = await server.send(sms, reply)
      const isUnclear = text.startsWith(
        "This call sent nothing: the client's reply was not understood"
      )
      ends[title] = isUnclear ? unclear : (error["code"] ?? structured["outcome"])
      if (isUnclear) expect(error["code"]).toBe(cancelled)
    }
    expect(ends).toEqual(
      Object.fromEntries(Object.entries(replies).map(([title, [, end]]) => [title, end]))
    )
    const accepts = Object.values(ends).filter((end) => end === sent)
    expect(await server.sent()).toBe(accepts.length)
  })

  it("told apart when lines were left out", async () => {
    const { host, message } = cases["a list, for a host that cuts questions"] ?? expect.fail()
    await using server = await open(route, host)
    const sms = { recipient: "+254700000001", message }
    const { text } = await server.send(
      sms,
      lines((all) => all.slice(1))
    )
    expect(text).toBe(
      "This call sent nothing: lines of the question were left out, and an approval is for all of it. Ask the person what to leave out, and call with the rest. The same call asks the person again."
    )
  })
})
