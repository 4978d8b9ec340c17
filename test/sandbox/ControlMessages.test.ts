import { describe, expect } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { call, send, sms } from "./support/Client.ts"
import {
  ask,
  currentFault,
  messagePage,
  problem,
  requestPage,
  setFault,
  tell
} from "./support/Control.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

const sendOne = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>> = sms) {
  yield* send(fields)
  const { messages } = yield* messagePage("?limit=1")
  return messages[0]?.message_id ?? ""
})

const statusOf = (id: string) =>
  Effect.map(call(`/sms/${id}`), (response) => JSON.parse(response.body).data[0].status)

describe("GET /_sandbox/messages", () => {
  sandboxTest(
    "returns what was sent, with status, date and preview",
    Effect.gen(function* () {
      const full = {
        ...sms,
        message: "Ça coûte 5 €",
        sender_id: "Shop",
        webhook_url: "https://example.com/hook",
        scheduled_time: "tomorrow"
      }
      yield* send(full)
      const { messages, ...page } = yield* messagePage()
      expect(messages).toEqual([
        {
          ...full,
          message_id: expect.stringMatching(/^sbx-1-/),
          status: "SANDBOX_QUEUED",
          date_created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          preview: {
            encoding: "UCS-2",
            segments: 1,
            units: 12,
            unitsPerSegment: 70,
            remaining: 58,
            ucs2Characters: ["û"]
          }
        }
      ])
      expect(page).toEqual({ kept: 1, accepted: 1 })
    })
  )

  sandboxTest(
    "returns HTML and control characters as the same string",
    Effect.gen(function* () {
      const message = "<script>alert(1)</script>\u0000\u001b[31m\u2028\u202e \"'&amp; 👋"
      yield* send({ ...sms, message, sender_id: message })
      const response = yield* ask("/messages")
      expect(response.headers.get("content-type")).toBe("application/json")
      expect(JSON.parse(response.body).messages[0]).toMatchObject({ message, sender_id: message })
    })
  )

  sandboxTest(
    "lists the newest first, in pages, also while more arrive",
    Effect.gen(function* () {
      for (let n = 1; n <= 5; n++) yield* send({ ...sms, message: `${n}` })
      const texts = ({ messages }: { messages: ReadonlyArray<{ message: string }> }) =>
        messages.map(({ message }) => message)
      const first = yield* messagePage("?limit=2")
      yield* send({ ...sms, message: "6" })
      const second = yield* messagePage(`?limit=2&before=${first.next}`)
      const third = yield* messagePage(`?limit=2&before=${second.next}`)
      expect([first, second, third].map(texts)).toEqual([["5", "4"], ["3", "2"], ["1"]])
      expect(third.next).toBeUndefined()
      expect(third).toMatchObject({ kept: 6, accepted: 6 })
    })
  )

  sandboxTest(
    "returns 100 by default",
    Effect.gen(function* () {
      yield* Effect.forEach(Array(101).keys(), () => send(), { concurrency: 10, discard: true })
      const page = yield* messagePage()
      expect(page.messages).toHaveLength(100)
      expect((yield* messagePage(`?before=${page.next}`)).messages).toHaveLength(1)
      expect((yield* messagePage("?limit=1000")).messages).toHaveLength(101)
    })
  )

  sandboxTest(
    "filters by text in the recipient and in the message, in any case",
    Effect.gen(function* () {
      yield* send({ recipient: "+15551234567", message: "Your code is 1234" })
      yield* send({ recipient: "+15551234567", message: "Hello" })
      yield* send({ recipient: "+4989", message: "Your CODE is 99" })
      const found = (query: string) =>
        Effect.map(messagePage(query), ({ messages }) => messages.map(({ message }) => message))
      expect(yield* found("?recipient=%2B1555")).toEqual(["Hello", "Your code is 1234"])
      // A plus in a query is a space.
      expect(yield* found("?recipient=+1555")).toEqual(["Hello", "Your code is 1234"])
      expect(yield* found("?recipient=+49")).toEqual(["Your CODE is 99"])
      expect(yield* found("?text=code")).toEqual(["Your CODE is 99", "Your code is 1234"])
      expect(yield* found("?recipient=4567&text=CODE")).toEqual(["Your code is 1234"])
      expect(yield* found("?text=.*")).toEqual([])
      expect((yield* messagePage("?text=nothing")).kept).toBe(3)
    })
  )

  sandboxTest(
    "has a next page only if there is one, also with a filter",
    Effect.gen(function* () {
      yield* send({ ...sms, message: "yes" })
      yield* send({ ...sms, message: "no" })
      yield* send({ ...sms, message: "yes" })
      expect((yield* messagePage("?text=yes&limit=1")).next).toBeDefined()
      expect((yield* messagePage("?text=yes&limit=2")).next).toBeUndefined()
      expect((yield* messagePage("?text=no&limit=1")).next).toBeUndefined()
    })
  )

  const misfits = [
    ["limit=0", "limit: Expected a value between 1 and 1000"],
    ["limit=1001", "limit: Expected a value between 1 and 1000"],
    ["limit=ten", "limit: "],
    ["limit=1&limit=2", "limit: "],
    ["before=x", "before: "],
    ["before=", "before: Expected a whole number"],
    ["limit=0x10", "limit: Expected a whole number"],
    ["limit=1e2", "limit: Expected a whole number"],
    ["recipent=1", "recipent: "]
  ] as const
  for (const [query, detail] of misfits) {
    sandboxTest(
      `names the field of ${query}`,
      Effect.gen(function* () {
        expect(problem(yield* ask(`/messages?${query}`))).toEqual({
          status: 400,
          bodyStatus: 400,
          success: false,
          detail: expect.stringContaining(detail)
        })
      })
    )
  }
})

describe("GET /_sandbox/messages?wait_seconds=…", () => {
  sandboxTest(
    "waits until a message matches the filter",
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* send({ ...sms, message: "Hello" })
      const waiting = yield* Effect.forkChild(messagePage("?wait_seconds=60&text=code"))
      // Both arrive after the reader: the first one does not match.
      yield* send({ ...sms, message: "Not this one" })
      yield* send({ ...sms, message: "Your code is 4711" })
      const { messages } = yield* Fiber.join(waiting)
      expect(messages.map(({ message }) => message)).toEqual(["Your code is 4711"])
      expect(yield* sandbox.messages()).toHaveLength(3)
    })
  )

  sandboxTest(
    "responds at once if a message matches, or if no wait was asked for",
    Effect.gen(function* () {
      yield* send()
      expect((yield* messagePage("?wait_seconds=60")).messages).toHaveLength(1)
      expect((yield* messagePage("?wait_seconds=0&text=nothing")).messages).toEqual([])
    })
  )

  sandboxTest(
    "responds with an empty list after that time, and refuses more than 60 seconds",
    Effect.gen(function* () {
      expect((yield* messagePage("?wait_seconds=1")).messages).toEqual([])
      for (const seconds of ["61", "-1", "0.5", "soon"]) {
        expect(problem(yield* ask(`/messages?wait_seconds=${seconds}`))).toMatchObject({
          status: 400,
          detail: expect.stringContaining("wait_seconds")
        })
      }
    })
  )
})

describe("the fault of a message", () => {
  sandboxTest(
    "is that of its request, with the suffix that forced it, and is absent otherwise",
    Effect.gen(function* () {
      yield* send()
      yield* setFault({ fault: "BodyCutOff", times: 1 })
      yield* Effect.exit(send())
      yield* send({ ...sms, recipient: "+15550000902" })
      const { messages } = yield* messagePage()
      expect(messages.map(({ fault, forced }) => [fault, forced])).toEqual([
        ["TruncatedJson", "0902"],
        ["BodyCutOff", undefined],
        [undefined, undefined]
      ])
    })
  )
})

describe("DELETE /_sandbox", () => {
  sandboxTest(
    "deletes the messages and the requests, and clears the fault",
    Effect.gen(function* () {
      yield* send()
      yield* setFault({ fault: "TruncatedJson" })
      const refused = yield* ask("?text=hello", { method: "DELETE" })
      expect(problem(refused)).toMatchObject({ status: 400 })
      expect((yield* messagePage()).messages).toHaveLength(1)

      expect((yield* ask("", { method: "DELETE" })).status).toBe(204)
      expect(yield* messagePage()).toEqual({ messages: [], kept: 0, accepted: 0 })
      expect((yield* requestPage()).received).toBe(0)
      expect(yield* currentFault).toBeNull()
      const next = yield* sendOne()
      expect(next).toMatch(/^sbx-2-/)
    })
  )
})

describe("POST /_sandbox/messages/{id}/status", () => {
  sandboxTest(
    "sets what every read returns, until it is set again",
    Effect.gen(function* () {
      const id = yield* sendOne()
      const response = yield* tell("POST", `/messages/${id}/status`, { status: "FAILED 😀" })
      expect(JSON.parse(response.body)).toMatchObject({ message_id: id, status: "FAILED 😀" })
      expect([yield* statusOf(id), yield* statusOf(id)]).toEqual(["FAILED 😀", "FAILED 😀"])
      yield* tell("POST", `/messages/${id}/status`, { status: "SANDBOX_QUEUED" })
      expect([yield* statusOf(id), yield* statusOf(id)]).toEqual([
        "SANDBOX_QUEUED",
        "SANDBOX_QUEUED"
      ])
    })
  )

  const misfits = [
    [{ status: "" }, "status: Expected a value with a length of at least 1"],
    [{ status: 5 }, "status: Expected string"],
    [{}, "status: Missing key"],
    [{ status: "X", until: "Y" }, "until: is not known; these are: status"]
  ] as const
  for (const [body, detail] of misfits) {
    sandboxTest(
      `responds with 400 to ${JSON.stringify(body)}`,
      Effect.gen(function* () {
        const id = yield* sendOne()
        expect(problem(yield* tell("POST", `/messages/${id}/status`, body))).toMatchObject({
          status: 400,
          detail
        })
        expect(yield* statusOf(id)).toBe("SANDBOX_SENT")
      })
    )
  }

  sandboxTest(
    "responds with 404 for an unknown message, and to an empty id as to an unknown path",
    Effect.gen(function* () {
      yield* send()
      for (const id of ["nope", "sbx-1-other", "sbx-1-", "sbx-NaN-x", "__proto__", "a%2Fb"]) {
        expect(problem(yield* tell("POST", `/messages/${id}/status`, { status: "X" }))).toEqual({
          status: 404,
          bodyStatus: 404,
          success: false,
          detail: expect.stringContaining("message_id: The sandbox has no message with this id")
        })
      }
      const empty = yield* tell("POST", "/messages//status", { status: "X" })
      expect(problem(empty)).toEqual(problem(yield* ask("/nope")))
    })
  )

  sandboxTest(
    "is also available to Effect programs",
    Effect.gen(function* () {
      const { messages, setStatus } = yield* Sandbox
      const id = yield* sendOne()
      expect((yield* setStatus(id, "FAILED")).status).toBe("FAILED")
      expect(yield* statusOf(id)).toBe("FAILED")
      expect(yield* messages({ text: "hello" })).toEqual((yield* messagePage()).messages)
      expect(yield* messages({ text: "nothing" })).toEqual([])
      expect(yield* Effect.flip(setStatus("nope", "X"))).toMatchObject({
        _tag: "UnknownMessage",
        message_id: "nope"
      })
      expect((yield* Effect.exit(setStatus(id, "")))._tag).toBe("Failure")
    })
  )
})
