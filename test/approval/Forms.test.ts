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

const Form = Schema.Struct({
  properties: Schema.Record(
    Schema.String,
    Schema.Struct({ default: Schema.optionalKey(Schema.Unknown) })
  )
})

/** As a host that skips a form: it returns its defaults. */
const skipped: Replies = (form) => {
  const { properties } = Schema.decodeUnknownSync(Form)(form)
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
      "skipped, with the defaults": [skipped, cancelled],
      "an empty form": [accepted({}), cancelled],
      null: [accepted(null), cancelled],
      "no content": [() => ({ action: "accept" }), cancelled],
      "None, as for an optional field": [accepted({ decision: "None" }), cancelled],
      "no value": [accepted({ decision: null }), cancelled],
      "an empty text": [accepted({ decision: "" }), cancelled],
      "a boolean": [accepted({ decision: true }), cancelled],
      "a number": [accepted({ decision: 0 }), cancelled],
      "a list": [accepted({ decision: ["Send"] }), cancelled],
      "another spelling": [accepted({ decision: "send" }), cancelled],
      "another field": [accepted({ Decision: "Send", confirm: true }), cancelled],
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
      decline: [() => ({ action: "decline" }), declined],
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

describe.for(eachOnce)("$era over $over, the form of a question is", (route) => {
  it.each(Object.entries(cases))("%s", async (_, { host, message, replies }) => {
    await using server = await open(route, host)
    const ends: Record<string, unknown> = {}
    let at = 0
    for (const [title, [reply]] of Object.entries(replies)) {
      const sms = { recipient: `+2547000000${10 + at++}`, message }
      const { error, structured } = await server.send(sms, reply)
      ends[title] = error["code"] ?? structured["outcome"]
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
