import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { call, send, sms } from "./support/Client.ts"
import {
  ask,
  messagePage,
  problem,
  readMessage,
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

  const day = Date.UTC(2026, 0, 31)
  let now = day
  const settable: Layer.Layer<never> = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (live) => ({
      ...live,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeMillisUnsafe: () => now,
      sleep: (duration) => live.sleep(duration)
    }))
  )

  it.live("filters by time: since is included, until is not", () =>
    Effect.gen(function* () {
      for (const hour of [0, 1, 2]) {
        now = day + hour * 3_600_000
        yield* send({ ...sms, message: `${hour}` })
      }
      const found = (query: string) =>
        Effect.map(messagePage(query), ({ messages }) => messages.map(({ message }) => message))
      expect(yield* found("?since=2026-01-31T01:00:00Z")).toEqual(["2", "1"])
      expect(yield* found("?until=2026-01-31T01:00:00Z")).toEqual(["0"])
      expect(yield* found("?since=2026-01-31T03:00:00%2B02:00&until=2026-01-31T02:00Z")).toEqual([
        "1"
      ])
      expect(yield* found("?since=2026-02-01")).toEqual([])
    }).pipe(Effect.provide(Layer.provide(Sandbox.layer(), settable)))
  )

  const misfits = [
    ["limit=0", "limit: Expected a value between 1 and 1000"],
    ["limit=1001", "limit: Expected a value between 1 and 1000"],
    ["limit=ten", "limit: "],
    ["limit=1&limit=2", "limit: "],
    ["before=x", "before: "],
    ["since=yesterday", "since: Expected a time such as 2026-01-31"],
    ["until=2026-13-01", "until: Expected a time such as 2026-01-31"],
    ["since=2026-01-31T03:00:00+02:00", "write a plus as %2B"],
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

  sandboxTest(
    "fills a page with large messages up to 8 MiB",
    Effect.gen(function* () {
      const message = "x".repeat(1_000_000)
      for (let n = 0; n < 6; n++) yield* send({ ...sms, message })
      const first = yield* messagePage()
      expect(first.messages).toHaveLength(4)
      const second = yield* messagePage(`?before=${first.next}`)
      expect(second.messages).toHaveLength(2)
      expect(second.next).toBeUndefined()
    })
  )
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
    "is that of its request, or the suffix that forced it, and is absent otherwise",
    Effect.gen(function* () {
      yield* send()
      yield* setFault({ fault: "WrongContentType", times: 1 })
      yield* send()
      yield* send({ ...sms, recipient: "+15550000902" })
      const { messages } = yield* messagePage()
      expect(messages.map(({ fault }) => fault)).toEqual(["0902", "WrongContentType", undefined])
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
      expect(JSON.parse((yield* ask("/fault")).body)).toEqual({ fault: null })
    })
  )
})

describe("GET /_sandbox/token", () => {
  const tokenOf = Effect.map(ask("/token"), ({ body }) => JSON.parse(body))

  const cases = [
    ["a random one", undefined, true],
    ["a short one, which the log shows, too", "secret", true],
    ["no longer one that was given: it may be that of the real service", "x".repeat(16), false]
  ] as const

  for (const [title, given, isTold] of cases) {
    it.live(`returns ${title}`, () =>
      Effect.gen(function* () {
        const { token } = yield* Sandbox
        expect(yield* tokenOf).toEqual(isTold ? { token: Redacted.value(token) } : {})
      }).pipe(
        Effect.provide(Sandbox.layer(given === undefined ? {} : { token: Redacted.make(given) }))
      )
    )
  }
})

describe("GET /_sandbox/messages/{id}", () => {
  sandboxTest(
    "returns one message, and does not advance its status",
    Effect.gen(function* () {
      const id = yield* sendOne()
      const one = ask(`/messages/${id}`)
      expect(yield* Effect.flatMap(one, readMessage)).toMatchObject({ ...sms, message_id: id })
      expect((yield* Effect.flatMap(one, readMessage)).status).toBe("SANDBOX_QUEUED")
      expect(yield* statusOf(id)).toBe("SANDBOX_SENT")
      expect((yield* Effect.flatMap(one, readMessage)).status).toBe("SANDBOX_SENT")
    })
  )

  for (const id of ["nope", "sbx-1-other", "sbx-1-", "sbx-NaN-x", "__proto__", "%00", "a%2Fb"]) {
    sandboxTest(
      `responds with 404 to ${id}`,
      Effect.gen(function* () {
        yield* send()
        expect(problem(yield* ask(`/messages/${id}`))).toMatchObject({
          status: 404,
          bodyStatus: 404,
          detail: expect.stringContaining(`the id ${decodeURIComponent(id)}:`)
        })
      })
    )
  }
})

describe("an empty id", () => {
  for (const [method, path] of [
    ["GET", "/messages/"],
    ["POST", "/messages//status"]
  ] as const) {
    sandboxTest(
      `is an unknown path: ${method} ${path}`,
      Effect.gen(function* () {
        const unknown = problem(yield* ask("/nope"))
        const init =
          method === "GET"
            ? {}
            : { headers: { "content-type": "application/json" }, body: '{"status":"X"}' }
        expect(problem(yield* ask(path, { method, ...init }))).toEqual(unknown)
        expect(unknown.status).toBe(404)
      })
    )
  }
})

describe("POST /_sandbox/messages/{id}/status", () => {
  sandboxTest(
    "sets what every read returns, until it is set again",
    Effect.gen(function* () {
      const id = yield* sendOne()
      const response = yield* tell("POST", `/messages/${id}/status`, { status: "FAILED 😀" })
      expect(yield* readMessage(response)).toMatchObject({ message_id: id, status: "FAILED 😀" })
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
    "responds with 404 for an unknown message",
    Effect.gen(function* () {
      const response = yield* tell("POST", "/messages/nope/status", { status: "X" })
      expect(problem(response)).toMatchObject({
        status: 404,
        detail: expect.stringContaining("nope")
      })
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
      expect((yield* Effect.exit(messages({ since: "yesterday" })))._tag).toBe("Failure")
    })
  )
})

describe("DELETE /_sandbox/messages", () => {
  sandboxTest(
    "refuses a filter, and deletes nothing",
    Effect.gen(function* () {
      yield* send()
      const response = yield* ask("/messages?recipient=%2B1", { method: "DELETE" })
      expect(problem(response)).toMatchObject({
        status: 400,
        detail: "This deletes all entries: remove the query"
      })
      expect((yield* messagePage()).messages).toHaveLength(1)
    })
  )

  sandboxTest(
    "deletes the messages but no requests, and never reuses an id",
    Effect.gen(function* () {
      const { messages, requests } = yield* Sandbox
      const id = yield* sendOne()
      const response = yield* ask("/messages", { method: "DELETE" })
      expect([response.status, response.body]).toEqual([204, ""])
      expect(yield* messagePage()).toEqual({ messages: [], kept: 0, accepted: 0 })
      expect(yield* messages()).toEqual([])
      expect((yield* call(`/sms/${id}`)).status).toBe(404)
      expect(yield* requests()).toHaveLength(2)
      yield* send()
      expect((yield* messagePage()).messages[0]?.message_id).not.toBe(id)
      expect((yield* messagePage()).accepted).toBe(1)
    })
  )
})
