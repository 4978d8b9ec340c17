/** Responses that a test makes by hand, for its own `fetch`: generated of parts, some of which throw when they are read. */
import { expect, it } from "@effect/vitest"
import { MessagingTopup, sendOutcome } from "@messaging-topup/core"
import * as HttpClientTransport from "@messaging-topup/core/http-client"
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import fc from "fast-check"
import { runInNewContext } from "node:vm"
import { client } from "../harness/Clients.ts"
import {
  acceptance,
  contract,
  errorBody,
  errorTags,
  sendOne,
  sendOutcomes
} from "../harness/Contract.ts"
import { runs } from "../harness/Runs.ts"

/** Set HAND_MADE_SEED in the environment to make the same responses again. */
const seed = Number(process.env["HAND_MADE_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** A part of a response, and whether it can be read. */
interface Part {
  readonly what: string
  readonly isReadable: boolean
  readonly make: (bytes: Uint8Array<ArrayBuffer>) => unknown
}

const parts = (
  isReadable: boolean,
  all: Readonly<Record<string, Part["make"]>>
): ReadonlyArray<Part> => Object.entries(all).map(([what, make]) => ({ what, isReadable, make }))

const hostile = {
  get code(): never {
    throw new Error("no code")
  }
}

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const throwing = (thrown: unknown) => (): never => {
  throw thrown
}

/** An object whose property throws when it is read. */
const withGetter = (name: string, thrown: unknown): object =>
  Object.defineProperty({}, name, { get: throwing(thrown) })

const statuses: ReadonlyArray<number> = [200, 202, 202, 202, 402, 418, 429, 500]

const noStatuses = parts(false, {
  "a status that is a text": () => "202",
  "no status": () => undefined,
  "a status that is no number": () => Number.NaN,
  "a half status": () => 202.5,
  "a symbol as status": () => Symbol("202")
})

const headers: ReadonlyArray<Part> = [
  ...parts(true, {
    Headers: () => new Headers({ "retry-after": "5", "x-id": "1" }),
    "a list": () => Object.assign([["x-id", "1"]], { get: () => null }),
    "a Map with a number": () => new Map([["Retry-After", 5]]),
    "a Map with null": () => new Map([["x-id", null]]),
    "nothing but get": () => ({ get: () => null })
  }),
  ...parts(false, {
    "no headers": () => undefined,
    "headers without get": () => ({}),
    "a get that is no function": () => ({ get: 1 }),
    "a get that throws": () => ({ get: throwing(hostile) }),
    "an iterator that throws": () =>
      Object.assign(new Headers(), { [Symbol.iterator]: throwing(new Error("no headers")) }),
    "headers that are no pairs": () => Object.assign([1], { get: () => null }),
    "a value that is no text": () => new Map([["x-id", { toString: throwing(revoked()) }]]),
    "a name that is no text": () => new Map([[Symbol("x-id"), "1"]])
  })
]

const stream = (...chunks: ReadonlyArray<unknown>) =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    }
  })

/** Reads what is given, in whatever form a promise has. */
const reading = (read: () => unknown) => ({ getReader: () => ({ read }) })

/** Calls back in a timer, as no promise does. */
const later = (value: unknown) => ({
  // oxlint-disable-next-line unicorn/no-thenable -- it is what is tried
  then: (call: (value: unknown) => void) => setTimeout(call, 1, value)
})

const detached = (): Uint8Array => {
  const view = new Uint8Array(8)
  structuredClone(view, { transfer: [view.buffer] })
  return view
}

/** The body is what a function makes of the bytes. */
const bodies: ReadonlyArray<Part> = [
  ...parts(true, {
    "pieces of bytes": (bytes) => stream(bytes.slice(0, 9), bytes.slice(9)),
    "a part of a buffer": (bytes) =>
      stream(new Uint8Array([0, 0, ...bytes, 0]).subarray(2, 2 + bytes.length)),
    "data views": (bytes) =>
      stream(new DataView(bytes.slice(0, 9).buffer), new DataView(bytes.buffer, 9)),
    "views of two bytes": (bytes) => {
      const even = bytes.length % 2 === 0 ? bytes : new Uint8Array([...bytes, 0x20])
      return stream(new Uint16Array(even.buffer))
    },
    buffers: (bytes) => stream(bytes.slice(0, 9).buffer, bytes.slice(9).buffer),
    "bytes of another realm": (bytes) =>
      stream(runInNewContext("Uint8Array.from(bytes)", { bytes: [...bytes] })),
    "one buffer for all pieces": (bytes) => {
      const shared = new Uint8Array(1)
      let at = 0
      return reading(() => {
        if (at === bytes.length) return Promise.resolve({ done: true })
        shared[0] = bytes[at++] ?? 0
        return Promise.resolve({ done: false, value: shared })
      })
    },
    "promises of its own": (bytes) => {
      let isRead = false
      return reading(() => {
        const value = isRead ? { done: true } : { done: false, value: bytes }
        isRead = true
        return later(value)
      })
    }
  }),
  ...parts(false, {
    "a stream of text": () => stream("text"),
    "a stream of numbers": () => stream(1),
    "bytes, and then a text": (bytes) => stream(bytes.slice(0, 9), "text"),
    "a piece that is gone": (bytes) => stream(bytes.slice(0, 9), detached(), undefined),
    "a read that throws": () => reading(throwing(hostile)),
    "a read that throws nothing": () => reading(throwing(undefined)),
    "a read that rejects": () => reading(() => Promise.reject(revoked())),
    "a read of nothing": () => reading(() => undefined),
    "a late read of nothing": () => reading(() => later(undefined)),
    "a late read of what throws": () => reading(() => later(withGetter("done", hostile))),
    "no reader": () => ({ getReader: () => null }),
    "a reader that throws": () => ({ getReader: throwing(revoked()) })
  })
]

/** A body that is no stream, and is read as a whole. */
const wholes: ReadonlyArray<Part> = [
  ...parts(true, {
    "a buffer": (bytes) => () => Promise.resolve(bytes.buffer),
    "a Buffer of Node": (bytes) => () => Promise.resolve(Buffer.from(bytes)),
    "a buffer of its own promise": (bytes) => () => later(bytes.buffer)
  }),
  ...parts(false, {
    "nothing to read": () => undefined,
    "a text": () => () => Promise.resolve("text"),
    "a number": () => () => Promise.resolve(3),
    "a rejection": () => () => Promise.reject(hostile),
    "an error": () => throwing(hostile)
  })
]

const pick = (all: ReadonlyArray<Part>): fc.Arbitrary<Part> =>
  // Most are readable, so that one part alone is wrong.
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...all.filter(({ isReadable }) => isReadable)) },
    { weight: 1, arbitrary: fc.constantFrom(...all.filter(({ isReadable }) => !isReadable)) }
  )

const responses = fc.record({
  status: fc.constantFrom(...statuses),
  noStatus: fc.option(fc.constantFrom(...noStatuses), { freq: 8 }),
  headers: pick(headers),
  isWhole: fc.boolean(),
  body: pick(bodies),
  whole: pick(wholes)
})

type Made = typeof responses extends fc.Arbitrary<infer A> ? A : never

const bytesOf = (status: number) =>
  new Uint8Array(
    new TextEncoder().encode(JSON.stringify(status === 202 ? acceptance : errorBody(status)))
  )

const responseOf = (made: Made): Response => {
  const bytes = bytesOf(made.status)
  return {
    status: made.noStatus === null ? made.status : made.noStatus.make(bytes),
    headers: made.headers.make(bytes),
    body: made.isWhole ? undefined : made.body.make(bytes),
    arrayBuffer: made.whole.make(bytes)
  } as Response
}

/** What a send says, and whether it went out. */
const expectedOf = (made: Made) => {
  const { noStatus, status } = made
  const body = made.isWhole ? made.whole : made.body
  const isReadable = made.headers.isReadable && body.isReadable
  if (noStatus !== null) return { tag: "ConnectionLost", status: undefined, outcome: "unknown" }
  if (status === 202) {
    return isReadable
      ? { tag: undefined, status: undefined, outcome: "sent" }
      : { tag: "ConnectionLost", status, outcome: "sent" }
  }
  const outcome = sendOutcomes[status] ?? "unknown"
  // The status says all.
  if (!contract.sendSms.errors.includes(status))
    return { tag: "UndocumentedStatus", status, outcome }
  return isReadable
    ? { tag: errorTags[status], status, outcome }
    : { tag: "ConnectionLost", status, outcome: "unknown" }
}

const described = (made: Made): string =>
  [
    made.noStatus === null ? `status ${made.status}` : made.noStatus.what,
    made.headers.what,
    made.isWhole ? `${made.whole.what} as a whole` : made.body.what,
    `HAND_MADE_SEED=${seed}`
  ].join(", ")

const all = fc.sample(responses, { seed, numRuns: Math.max(200, runs(2000)) })

it("each response ends its call with a result or a typed error, and the client closes", async () => {
  let made: Made | undefined
  const service = createClient({
    baseUrl: "http://127.0.0.1:1",
    token: "t",
    fetch: () => Promise.resolve(responseOf(made as Made))
  })
  for (made of all) {
    const said = await sendOneOf(service.sendSms({ recipient: "1", message: "" }))
    expect(said, described(made)).toEqual(expectedOf(made))
  }
  await service.close()
})

const sendOneOf = (sending: Promise<unknown>) =>
  sending.then(
    () => ({ tag: undefined, status: undefined, outcome: "sent" }),
    (error: unknown) => {
      if (!isSendSmsRejection(error)) throw error
      const status = "status" in error ? error.status : undefined
      return { tag: error._tag, status, outcome: error.sendOutcome }
    }
  )

it.live("over Effect's fetch client, too, each ends its call with a result or a typed error", () =>
  Effect.gen(function* () {
    let made: Made | undefined
    const fetch = Layer.succeed(FetchHttpClient.Fetch, () =>
      Promise.resolve(responseOf(made as Made))
    )
    const transport = HttpClientTransport.layer.pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(fetch)
    )
    const sending = Effect.flatMap(MessagingTopup, sendOne)
    yield* Effect.gen(function* () {
      for (made of all) {
        const exit = yield* Effect.exit(sending)
        if (Exit.isFailure(exit)) expect(exit.cause.reasons).toMatchObject([{ _tag: "Fail" }])
        // Effect's client reads other parts, and may fail before it tells the status.
        const { noStatus, status } = made
        const possible = ["unknown", noStatus === null ? sendOutcomes[status] : undefined]
        expect(possible, described(made)).toContain(sendOutcome(exit))
      }
    }).pipe(Effect.provide(client("http://127.0.0.1:1", transport)))
  })
)
