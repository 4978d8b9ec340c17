/** What only the control endpoints have: pages and a wait. What they refuse is in `transcripts/control.txt`. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ask, messagePage, requestPage, sandboxTest, send, sms } from "../harness/sandbox/Client.ts"

const texts = ({ messages }: { readonly messages: ReadonlyArray<{ readonly message: string }> }) =>
  messages.map(({ message }) => message)

describe("a page", () => {
  sandboxTest(
    "has the newest first, also while more arrive, and says how many there are",
    function* () {
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
    }
  )

  sandboxTest("has 100 entries by default, and at most 1000", function* () {
    yield* Effect.forEach(Array(101).keys(), () => send(), { concurrency: 10, discard: true })
    const page = yield* messagePage()
    expect(page.messages).toHaveLength(100)
    expect((yield* messagePage(`?before=${page.next}`)).messages).toHaveLength(1)
    expect((yield* messagePage("?limit=1000")).messages).toHaveLength(101)
  })

  sandboxTest("has a next one only if more messages match the filter", function* () {
    for (const message of ["yes", "no", "yes"]) yield* send({ ...sms, message })
    expect((yield* messagePage("?text=yes&limit=1")).next).toBeDefined()
    expect((yield* messagePage("?text=yes&limit=2")).next).toBeUndefined()
    expect((yield* messagePage("?text=no&limit=1")).next).toBeUndefined()
    expect(yield* messagePage("?text=nothing")).toEqual({ messages: [], kept: 3, accepted: 3 })
    // A plus in a query is a space.
    expect((yield* messagePage("?recipient=+1555")).messages).toHaveLength(3)
  })
})

describe("wait_seconds", () => {
  sandboxTest("waits until a message matches the filter", function* () {
    yield* send({ ...sms, message: "Hello" })
    const waiting = yield* Effect.forkChild(messagePage("?wait_seconds=60&text=code"))
    // Both arrive after the reader: the first one does not match.
    yield* send({ ...sms, message: "Not this one" })
    yield* send({ ...sms, message: "Your code is 4711" })
    expect(texts(yield* Fiber.join(waiting))).toEqual(["Your code is 4711"])
    expect((yield* messagePage("?wait_seconds=60")).messages).toHaveLength(3)
  })

  sandboxTest("ends with an empty list after that time", function* () {
    expect((yield* messagePage("?wait_seconds=1")).messages).toEqual([])
    expect((yield* messagePage("?wait_seconds=0")).messages).toEqual([])
  })
})

sandboxTest(
  "a reader of changes that knows another version gets this one at once: it may be that of an earlier sandbox",
  function* () {
    yield* send()
    for (const after of [0, 999_999]) {
      const { version } = JSON.parse((yield* ask(`/changes?after=${after}`)).body)
      expect(version).toBeGreaterThan(0)
      expect(version).toBeLessThan(999_999)
    }
  }
)
