/** What only the control endpoints have: pages, a wait, exact names and paths. */
import { describe, expect } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { bare, call, send, sms } from "../harness/sandbox/Client.ts"
import {
  ask,
  currentFault,
  expectProblem,
  messagePage,
  requestPage,
  tell
} from "../harness/sandbox/Control.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

const texts = ({ messages }: { readonly messages: ReadonlyArray<{ readonly message: string }> }) =>
  messages.map(({ message }) => message)

describe("a page", () => {
  sandboxTest(
    "has the newest first, also while more arrive, and says how many there are",
    Effect.gen(function* () {
      for (let n = 1; n <= 5; n++) yield* send({ ...sms, message: `${n}` })
      const first = yield* messagePage("?limit=2")
      yield* send({ ...sms, message: "6" })
      const second = yield* messagePage(`?limit=2&before=${first.next}`)
      const third = yield* messagePage(`?limit=2&before=${second.next}`)
      expect([first, second, third].map(texts)).toEqual([["5", "4"], ["3", "2"], ["1"]])
      expect(third).toEqual({ messages: [expect.anything()], kept: 6, accepted: 6 })

      const requests = yield* requestPage("?limit=4")
      const rest = yield* requestPage(`?limit=4&before=${requests.next}`)
      expect([requests, rest].map((page) => page.requests.map(({ id }) => id))).toEqual([
        [6, 5, 4, 3],
        [2, 1]
      ])
      expect(rest).toEqual({ requests: expect.any(Array), kept: 6, received: 6 })
    })
  )

  sandboxTest(
    "has 100 entries by default, and at most 1000",
    Effect.gen(function* () {
      yield* Effect.forEach(Array(101).keys(), () => send(), { concurrency: 10, discard: true })
      const page = yield* messagePage()
      expect(page.messages).toHaveLength(100)
      expect((yield* messagePage(`?before=${page.next}`)).messages).toHaveLength(1)
      expect((yield* messagePage("?limit=1000")).messages).toHaveLength(101)
    })
  )

  sandboxTest(
    "has a next one only if more messages match the filter",
    Effect.gen(function* () {
      for (const message of ["yes", "no", "yes"]) yield* send({ ...sms, message })
      expect((yield* messagePage("?text=yes&limit=1")).next).toBeDefined()
      expect((yield* messagePage("?text=yes&limit=2")).next).toBeUndefined()
      expect((yield* messagePage("?text=no&limit=1")).next).toBeUndefined()
      expect(yield* messagePage("?text=nothing")).toEqual({ messages: [], kept: 3, accepted: 3 })
      // A plus in a query is a space.
      expect((yield* messagePage("?recipient=+1555")).messages).toHaveLength(3)
    })
  )
})

describe("wait_seconds", () => {
  sandboxTest(
    "waits until a message matches the filter",
    Effect.gen(function* () {
      yield* send({ ...sms, message: "Hello" })
      const waiting = yield* Effect.forkChild(messagePage("?wait_seconds=60&text=code"))
      // Both arrive after the reader: the first one does not match.
      yield* send({ ...sms, message: "Not this one" })
      yield* send({ ...sms, message: "Your code is 4711" })
      expect(texts(yield* Fiber.join(waiting))).toEqual(["Your code is 4711"])
      expect((yield* messagePage("?wait_seconds=60")).messages).toHaveLength(3)
    })
  )

  sandboxTest(
    "ends with an empty list after that time",
    Effect.gen(function* () {
      expect((yield* messagePage("?wait_seconds=1")).messages).toEqual([])
      expect((yield* messagePage("?wait_seconds=0")).messages).toEqual([])
    })
  )
})

describe("a request that is not as described is refused, and changes nothing", () => {
  const limits = "limit: Expected a value between 1 and 1000"
  const whole = "Expected a whole number"
  const seconds = "wait_seconds: Expected"
  const queries = [
    ["/messages?limit=0", limits],
    ["/messages?limit=1001", limits],
    ["/messages?limit=ten", `limit: ${whole}`],
    ["/messages?limit=1&limit=2", "limit: "],
    ["/messages?limit=0x10", `limit: ${whole}`],
    ["/messages?limit=1e2", `limit: ${whole}`],
    ["/messages?before=x", `before: ${whole}`],
    ["/messages?before=", `before: ${whole}`],
    ["/messages?recipent=1", "recipent: is not known"],
    ["/messages?wait_seconds=61", seconds],
    ["/messages?wait_seconds=-1", seconds],
    ["/messages?wait_seconds=0.5", seconds],
    ["/messages?wait_seconds=soon", seconds],
    ["/requests?limit=1e9", `limit: ${whole}`],
    ["/requests?text=x", "text: is not known"],
    ["/changes?after=x", `after: ${whole}`]
  ] as const

  sandboxTest(
    "by its query",
    Effect.gen(function* () {
      for (const [path, detail] of queries) expectProblem(yield* ask(path), 400, detail)
      yield* send()
      // A filter means some entries.
      expectProblem(yield* ask("?text=hello", { method: "DELETE" }), 400, "remove the query")
      expect((yield* messagePage()).messages).toHaveLength(1)
    })
  )

  const bodies = [
    ["PUT /fault", "", ""],
    ["PUT /fault", "{", ""],
    ["PUT /fault", "fault=NoResponse", ""],
    ["PUT /fault", '{"fault":"NoResponse","time":1}', "time: is not known"],
    ["POST /messages/ID/status", '{"status":"X","until":"Y"}', "these are: status"],
    ["POST /messages/ID/status", "{}", "status: Missing key"],
    ["POST /send", '{"recipient":"+15551234567"}', "message: Missing key"],
    ["POST /send", '{"recipient":"+15551234567","message":"x","webhook_url":"x"}', "webhook_url: "]
  ] as const

  sandboxTest(
    "by its body",
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* send()
      const [message] = (yield* messagePage()).messages
      yield* setFault({ fault: "TruncatedJson" })
      for (const [line, body, detail] of bodies) {
        const [method = "", path = ""] = line.replace("ID", message?.message_id ?? "").split(" ")
        const headers = { "content-type": "application/json" }
        expectProblem(yield* ask(path, { method, headers, body }), 400, detail)
      }
      const long = { fault: "Response", status: 200, body: "x".repeat(128 * 1024) }
      expectProblem(yield* tell("PUT", "/fault", long), 413, "128 KiB")
      expect(yield* currentFault).toEqual({ fault: "TruncatedJson" })
      expect((yield* messagePage()).messages).toEqual([message])
    })
  )

  sandboxTest(
    "by its path",
    Effect.gen(function* () {
      const status = { status: "X" }
      const unknown = "message_id: The sandbox has no message with this id"
      expectProblem(yield* tell("POST", "/messages/a%2Fb/status", status), 404, unknown)
      const list = "GET /openapi.json lists them"
      expectProblem(yield* tell("POST", "/messages//status", status), 404, list)
      expectProblem(yield* ask("/nope"), 404, list)
    })
  )
})

sandboxTest(
  "the fault can be read: that of a program, and how many requests still get it",
  Effect.gen(function* () {
    const { setFault } = yield* Sandbox
    const busy = { fault: "Response", status: 500, body: "x", headers: { a: "b" } } as const
    expect(yield* currentFault).toBeNull()
    yield* setFault({ ...busy, times: 2 })
    expect(yield* currentFault).toEqual({ ...busy, times: 2 })
    yield* send()
    expect(yield* currentFault).toEqual({ ...busy, times: 1 })
    yield* send()
    expect(yield* currentFault).toBeNull()

    const set = yield* tell("PUT", "/fault", busy)
    expect([set.status, JSON.parse(set.body)]).toEqual([200, { fault: busy }])
    const cleared = yield* ask("/fault", { method: "DELETE" })
    expect([cleared.status, cleared.body]).toEqual([204, ""])
    expect(yield* currentFault).toBeNull()
  })
)

sandboxTest(
  "after a reset, nothing is kept or counted",
  Effect.gen(function* () {
    yield* send()
    expect((yield* ask("", { method: "DELETE" })).status).toBe(204)
    expect(yield* messagePage()).toEqual({ messages: [], kept: 0, accepted: 0 })
    expect(yield* requestPage()).toEqual({ requests: [], kept: 0, received: 0 })
  })
)

sandboxTest(
  "a reader of changes that knows another version gets this one at once: it may be that of an earlier sandbox",
  Effect.gen(function* () {
    yield* send()
    for (const after of [0, 999_999]) {
      const { version } = JSON.parse((yield* ask(`/changes?after=${after}`)).body)
      expect(version).toBeGreaterThan(0)
      expect(version).toBeLessThan(999_999)
    }
  })
)

sandboxTest(
  "HEAD is answered like GET",
  Effect.gen(function* () {
    const { body, headers, status } = yield* ask("/messages", { method: "HEAD" })
    expect([status, body, headers.get("content-type")]).toEqual([200, "", "application/json"])
  })
)

describe("a request to the control endpoints", () => {
  sandboxTest(
    "is neither listed nor waited for",
    Effect.gen(function* () {
      const { requests, until } = yield* Sandbox
      for (const path of [
        "/",
        "/?tab=1",
        "/healthz",
        "/openapi.json",
        "/_sandbox",
        "/_sandbox/nope",
        "/_sandbox/messages"
      ]) {
        yield* call(path)
      }
      yield* send()
      expect((yield* until((kept) => kept.requests.length > 0)).requests).toHaveLength(1)
      expect(yield* requests()).toMatchObject([{ path: "/sms/send" }])
    })
  )

  sandboxTest(
    "needs the exact path",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      const paths = [
        "/x/../_sandbox/messages",
        "//_sandbox/messages",
        "/%5Fsandbox/messages",
        "/_sandboxes",
        "http://localhost/_sandbox/messages"
      ]
      for (const path of paths) expect((yield* bare(`GET ${path}`)).status).toBe(404)
      expect((yield* requests()).map(({ path }) => path)).toEqual(paths.toReversed())
    })
  )
})
