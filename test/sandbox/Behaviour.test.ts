/** What a sandbox does, whichever way a program uses it. */
import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { type Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { contract, errorTags } from "../harness/Contract.ts"
import { call, json, send, sms } from "../harness/sandbox/Client.ts"
import { behaviour } from "../harness/sandbox/Faces.ts"

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

const texts = Effect.fnUntraced(function* (filter?: { recipient?: string; text?: string }) {
  const { messages } = yield* Sandbox
  return (yield* messages(filter)).map(({ message }) => message)
})

/** Sends an SMS, and returns its id. */
const sendOne = Effect.gen(function* () {
  const { messages } = yield* Sandbox
  yield* send()
  return (yield* messages())[0]?.message_id ?? ""
})

const statusOf = (id: string) =>
  Effect.map(call(`/sms/${id}`), ({ body }): string => JSON.parse(body).data[0].status)

/** What a face says about invalid input. */
const refusal = <A, E>(effect: Effect.Effect<A, E, Sandbox>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "accepted"
  )

describe("messages", () => {
  behaviour("have what was sent, with an id, status, date and preview", function* () {
    const { messages } = yield* Sandbox
    const full = {
      ...sms,
      message: "Ça coûte 5 €",
      sender_id: "Shop",
      webhook_url: "https://example.com/hook",
      scheduled_time: "tomorrow"
    }
    yield* send(full)
    expect(yield* messages()).toEqual([
      {
        ...full,
        message_id: expect.stringMatching(/^sbx-1-[a-z]{8}$/),
        status: "SANDBOX_QUEUED",
        date_created: isoTime,
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
  })

  behaviour("have markup and control characters unchanged", function* () {
    const { messages } = yield* Sandbox
    const message = "<script>alert(1)</script>\u0000\u001b[31m\u2028\u202e \"'&amp; 👋"
    yield* send({ ...sms, message, sender_id: message })
    expect(yield* messages()).toMatchObject([{ message, sender_id: message }])
  })

  behaviour(
    "are filtered by text in the recipient and in the message, in any case, newest first",
    function* () {
      yield* send({ recipient: "+15551234567", message: "Your code is 1234" })
      yield* send({ recipient: "+15551234567", message: "Hello" })
      yield* send({ recipient: "+4989", message: "Your CODE is 99" })
      expect(yield* texts()).toEqual(["Your CODE is 99", "Hello", "Your code is 1234"])
      for (const recipient of ["+1555", " 1555", "1 (555) 123"]) {
        expect(yield* texts({ recipient })).toEqual(["Hello", "Your code is 1234"])
      }
      expect(yield* texts({ text: "code" })).toEqual(["Your CODE is 99", "Your code is 1234"])
      expect(yield* texts({ recipient: "4567", text: "CODE" })).toEqual(["Your code is 1234"])
      expect(yield* texts({ text: ".*" })).toEqual([])
    }
  )

  behaviour("have the status that was read last, or that was set: then it stays", function* () {
    const { messages, setStatus } = yield* Sandbox
    const id = yield* sendOne
    expect(yield* statusOf(id)).toBe("SANDBOX_SENT")
    for (const status of ["FAILED 😀", "SANDBOX_QUEUED"]) {
      expect(yield* setStatus(id, status)).toMatchObject({ ...sms, message_id: id, status })
      expect([yield* statusOf(id), yield* statusOf(id)]).toEqual([status, status])
      expect(yield* messages()).toMatchObject([{ status }])
    }
  })

  behaviour("that are unknown have no status to set", function* () {
    const { messages, setStatus } = yield* Sandbox
    yield* sendOne
    for (const id of ["nope", "sbx-1-other", "sbx-1-", "sbx-NaN-x", "__proto__"]) {
      expect(yield* Effect.flip(setStatus(id, "X"))).toMatchObject({
        _tag: "UnknownMessage",
        message_id: id
      })
    }
    expect(yield* messages()).toMatchObject([{ status: "SANDBOX_QUEUED" }])
  })
})

describe("requests", () => {
  behaviour("have method, path, body, status and message id of each request", function* () {
    const { messages, requests } = yield* Sandbox
    const body = JSON.stringify({ ...sms, message: "grüße" })
    yield* call("/sms/send?a=%20b", { method: "POST", body })
    yield* call("/sms/x0404")
    const [message] = yield* messages()
    const every = { time: isoTime, disconnected: false, milliseconds: expect.any(Number) }
    expect(yield* requests()).toEqual([
      {
        ...every,
        id: 2,
        method: "GET",
        path: "/sms/x0404",
        body: "",
        status: 404,
        fault: "Response",
        forced: "0404"
      },
      {
        ...every,
        id: 1,
        method: "POST",
        path: "/sms/send?a=%20b",
        body,
        status: 202,
        message_id: message?.message_id
      }
    ])
  })

  behaviour(
    "and messages are the newest, up to the given numbers",
    function* () {
      const { messages, requests } = yield* Sandbox
      for (let n = 1; n <= 5; n++) yield* send({ ...sms, message: `${n}` })
      expect(yield* texts()).toEqual(["5", "4", "3"])
      expect((yield* requests()).map(({ id }) => id)).toEqual([5, 4])
      const oldest = (yield* messages())[2]?.message_id ?? ""
      expect(yield* statusOf(oldest)).toBe("SANDBOX_SENT")
      yield* send()
      expect((yield* call(`/sms/${oldest}`)).status).toBe(404)
    },
    { maxMessages: 3, maxRequests: 2 }
  )
})

describe("a fault", () => {
  interface End {
    readonly fault: Fault
    readonly isAccepted: boolean
    /** What the client gets: a status, an error's code, or nothing until it leaves. */
    readonly got: number | "lost" | "nothing"
    /** The status in the record. */
    readonly status?: number
  }

  // The compiler sees to it that none is missing.
  const ends: {
    readonly [Name in Fault["fault"]]: ReadonlyArray<End & { fault: { fault: Name } }>
  } = {
    Response: [
      {
        fault: { fault: "Response", status: 503, body: "busy", headers: { "retry-after": "7" } },
        isAccepted: false,
        got: 503,
        status: 503
      },
      { fault: { fault: "Response", status: 204 }, isAccepted: false, got: 204, status: 204 }
    ],
    ResetBeforeAcceptance: [
      { fault: { fault: "ResetBeforeAcceptance" }, isAccepted: false, got: "lost" }
    ],
    ResetAfterAcceptance: [
      { fault: { fault: "ResetAfterAcceptance" }, isAccepted: true, got: "lost" }
    ],
    NoResponse: [
      { fault: { fault: "NoResponse" }, isAccepted: false, got: "nothing" },
      { fault: { fault: "NoResponse", accept: true }, isAccepted: true, got: "nothing" }
    ],
    HeadersThenSilence: [
      { fault: { fault: "HeadersThenSilence" }, isAccepted: true, got: "nothing", status: 202 }
    ],
    TruncatedJson: [{ fault: { fault: "TruncatedJson" }, isAccepted: true, got: 202, status: 202 }],
    BodyCutOff: [{ fault: { fault: "BodyCutOff" }, isAccepted: true, got: "lost", status: 202 }],
    Slow: [{ fault: { fault: "Slow", seconds: 60 }, isAccepted: true, got: "nothing" }]
  }

  /** Sends, and leaves when the sandbox has done all that it does. */
  const sendAndLeave = ({ isAccepted, status }: End) =>
    Effect.gen(function* () {
      const { until } = yield* Sandbox
      const fiber = yield* Effect.forkChild(send())
      const { requests } = yield* until(
        (kept) =>
          kept.requests[0]?.status === status &&
          kept.messages.length === (isAccepted ? 1 : 0) &&
          kept.requests.length === 1
      )
      expect(requests).toMatchObject([{ disconnected: false }])
      expect(requests[0]).not.toHaveProperty("milliseconds")
      yield* Fiber.interrupt(fiber)
      yield* until((kept) => kept.requests[0]?.disconnected === true)
    })

  for (const end of Object.values(ends).flat()) {
    const { fault, got, isAccepted, status } = end
    behaviour(
      `${JSON.stringify(fault)} is what the request gets, and its record says so`,
      function* () {
        const { messages, requests, setFault } = yield* Sandbox
        yield* setFault({ ...fault, times: 1 })
        if (got === "nothing") yield* sendAndLeave(end)
        else if (got === "lost") {
          // Node 22 closes the connection if it is reset during a write.
          expect(["ECONNRESET", "UND_ERR_SOCKET"]).toContain((yield* Effect.flip(send())).code)
        } else expect((yield* send()).status).toBe(got)

        const [message] = yield* messages()
        expect(message?.fault).toBe(isAccepted ? fault.fault : undefined)
        expect(yield* requests()).toEqual([
          {
            id: 1,
            time: isoTime,
            method: "POST",
            path: "/sms/send",
            body: JSON.stringify(sms),
            fault: fault.fault,
            disconnected: got === "nothing",
            milliseconds: expect.any(Number),
            ...(status === undefined ? {} : { status }),
            ...(message === undefined ? {} : { message_id: message.message_id })
          }
        ])
        expect((yield* send()).status).toBe(202)
      }
    )
  }

  behaviour(
    "lasts for as many requests as it says, or until another one is set or it is cleared",
    function* () {
      const { clearFault, setFault } = yield* Sandbox
      const statuses = Effect.map(Effect.all([send(), send(), send()]), (responses) =>
        responses.map(({ status }) => status)
      )
      const busy: Fault = { fault: "Response", status: 503, body: "busy" }
      yield* setFault({ ...busy, times: 2 })
      expect(yield* statuses).toEqual([503, 503, 202])
      yield* setFault({ ...busy, times: 2 })
      yield* setFault({ ...busy, status: 500 })
      expect(yield* statuses).toEqual([500, 500, 500])
      yield* clearFault
      expect(yield* statuses).toEqual([202, 202, 202])
    }
  )

  behaviour(
    "with a rate meets that share of the requests, the same ones for the same seed",
    function* () {
      const { clearFault, setFault } = yield* Sandbox
      /** Which of the requests get it. */
      const met = Effect.fnUntraced(function* (settings: {
        rate: number
        seed?: number
        times?: number
      }) {
        yield* setFault({ fault: "Response", status: 503, ...settings })
        const responses = yield* Effect.forEach(Array.from({ length: 20 }), () => send())
        return responses.flatMap(({ status }, index) => (status === 503 ? [index] : []))
      })
      const some = yield* met({ rate: 0.25, seed: 7 })
      expect(some).toEqual([0, 1, 7, 11, 14])
      expect(yield* met({ rate: 0.25, seed: 7 })).toEqual(some)
      expect(yield* met({ rate: 0.25, seed: 7, times: 3 })).toEqual(some.slice(0, 3))
      expect(yield* met({ rate: 0.25, seed: 8 })).not.toEqual(some)
      expect(yield* met({ rate: 0.25 })).toEqual(yield* met({ rate: 0.25, seed: 0 }))
      expect(yield* met({ rate: 1 })).toHaveLength(20)
      yield* clearFault
    }
  )

  it.effect("Response without a body is the documented error of its status", () =>
    Effect.gen(function* () {
      const { sendSms } = yield* MessagingTopup
      const { setFault } = yield* Sandbox
      for (const status of contract.sendSms.errors) {
        yield* setFault({ fault: "Response", status })
        const tag = errorTags[status]
        expect(yield* Effect.flip(sendSms(sms))).toMatchObject({ _tag: tag, status })
        yield* setFault({ fault: "Response", status, body: "" })
        expect(yield* Effect.flip(sendSms(sms))).toMatchObject({ _tag: "InvalidResponse", status })
      }
    }).pipe(Effect.provide(Sandbox.layerClient()))
  )

  behaviour("comes before a forced outcome", function* () {
    const { requests, setFault } = yield* Sandbox
    yield* setFault({ fault: "TruncatedJson", times: 1 })
    const forced = send({ ...sms, recipient: "+15550000402" })
    const [first, second] = [yield* forced, yield* forced]
    expect([first.status, second.status]).toEqual([202, 402])
    expect(() => json(first)).toThrow(SyntaxError)
    expect((yield* requests()).map(({ fault, forced: suffix }) => [fault, suffix])).toEqual([
      ["Response", "0402"],
      ["TruncatedJson", undefined]
    ])
  })

  behaviour("is what a refused request gets, too, whose SMS is not accepted", function* () {
    const { messages, requests, setFault } = yield* Sandbox
    yield* setFault({ fault: "ResetAfterAcceptance", times: 1 })
    yield* Effect.flip(send({ ...sms, recipient: "" }))
    expect(yield* messages()).toEqual([])
    const refused = { fault: "ResetAfterAcceptance", refusal: expect.stringContaining("recipient") }
    expect(yield* requests()).toMatchObject([refused])
  })

  const names = "one of Response, ResetBeforeAcceptance"
  const response = { fault: "Response", status: 200 }
  const invalid: ReadonlyArray<readonly [fault: unknown, problem: string]> = [
    [{ fault: "Nonsense" }, names],
    [{}, names],
    [[], names],
    ["", names],
    [null, names],
    [{ fault: "Response" }, "status is missing"],
    [{ ...response, status: 99 }, "status: Expected a value between 200 and 599"],
    [{ ...response, status: 199 }, "status: Expected a value between 200 and 599"],
    [{ ...response, status: 200.5 }, "status: Expected an integer"],
    [{ ...response, status: "200" }, "status: Expected"],
    [{ ...response, body: 1 }, "body: Expected string"],
    [{ ...response, headers: { "a b": "x" } }, "headers: Expected valid header names"],
    [{ ...response, headers: { a: "x\r\ny: z" } }, "headers.a: Expected a value"],
    [{ ...response, headers: { "Retry-After": 5 } }, "headers.Retry-After: Expected string"],
    ...["Content-Length", "transfer-encoding", "Connection"].map(
      (name) =>
        [
          { ...response, headers: { "x-a": "1", [name]: "1" } },
          `headers: The sandbox sets ${name.toLowerCase()}: remove it`
        ] as const
    ),
    ...[204, 205, 304].map(
      (status) =>
        [
          { ...response, status, body: "x" },
          `body: A response with status ${status} has no body`
        ] as const
    ),
    [{ fault: "NoResponse", accept: "yes" }, "accept: Expected boolean"],
    [{ fault: "NoResponse", acept: true }, "acept: not a documented field"],
    [{ fault: "ResetAfterAcceptance", time: 1 }, "time: not a documented field"],
    [{ fault: "NoResponse", times: 0 }, "times: Expected a value greater than 0"],
    [{ fault: "NoResponse", times: 1.5 }, "times: Expected an integer"],
    [{ fault: "NoResponse", rate: 0 }, "rate: Expected a value between 0 (excluded) and 1"],
    [{ fault: "NoResponse", rate: 1.5 }, "rate: Expected a value between 0"],
    [{ fault: "NoResponse", seed: 0.5 }, "seed: Expected an integer"],
    [{ fault: "Slow" }, "seconds is missing"],
    [{ fault: "Slow", seconds: 0 }, "seconds: Expected a value between 0 (excluded) and 3600"],
    [{ fault: "Slow", seconds: -1 }, "seconds: Expected a value between 0"],
    [{ fault: "Slow", seconds: 3601 }, "seconds: Expected a value between 0"]
  ]

  behaviour("that is invalid is refused with what is wrong, and changes nothing", function* () {
    const { setFault } = yield* Sandbox
    yield* setFault({ fault: "Response", status: 418 })
    for (const [fault, problem] of invalid) {
      expect(yield* refusal(Reflect.apply(setFault, undefined, [fault]))).toContain(problem)
    }
    expect((yield* send()).status).toBe(418)
  })
})

behaviour("invalid filters and statuses are refused with what is wrong", function* () {
  const { messages, setStatus } = yield* Sandbox
  const id = yield* sendOne
  const filter: object = { recipent: "x" }
  expect(yield* refusal(messages(filter))).toContain(
    "recipent: not a documented field; these are recipient, text"
  )
  for (const [status, problem] of [
    ["", "status: Expected a value with a length of at least 1"],
    [5, "status: Expected string"],
    [undefined, "status is missing"]
  ] as const) {
    expect(yield* refusal(Reflect.apply(setStatus, undefined, [id, status]))).toContain(problem)
  }
  expect(yield* statusOf(id)).toBe("SANDBOX_SENT")
})

describe("until", () => {
  behaviour(
    "waits for requests and messages, and returns what is kept, newest first",
    function* () {
      const { setFault, until } = yield* Sandbox
      yield* setFault({ fault: "NoResponse", accept: true })
      const waiting = yield* Effect.forkChild(
        until(({ messages, requests }) => messages.length === 3 && requests.length === 6)
      )
      for (const path of ["/sms/first", "/sms/second", "/sms/third"]) {
        yield* Effect.forkChild(call(path))
        yield* until(({ requests }) => requests[0]?.path === path)
      }
      yield* Effect.forkChild(Effect.all([send(), send(), send()], { concurrency: "unbounded" }))
      const { messages, requests } = yield* Fiber.join(waiting)
      expect([messages.length, requests.length]).toEqual([3, 6])
    }
  )

  behaviour(
    "waits for a status that is read or set, and returns at once if it has happened",
    function* () {
      const { setStatus, until } = yield* Sandbox
      const id = yield* sendOne
      for (const [change, status] of [
        [call(`/sms/${id}`), "SANDBOX_SENT"],
        [setStatus(id, "EXPIRED"), "EXPIRED"]
      ] as const) {
        const ready = until(({ messages }) => messages[0]?.status === status)
        const waiting = yield* Effect.forkChild(ready, { startImmediately: true })
        yield* change
        yield* Fiber.join(waiting)
        yield* ready
      }
    }
  )
})

behaviour(
  "reset deletes messages and requests, and clears the fault; no id is used twice",
  function* () {
    const { messages, requests, reset, setFault } = yield* Sandbox
    const id = yield* sendOne
    yield* setFault({ fault: "ResetBeforeAcceptance" })
    yield* reset
    expect([yield* messages(), yield* requests()]).toEqual([[], []])
    expect((yield* call(`/sms/${id}`)).status).toBe(404)
    expect(yield* sendOne).toMatch(/^sbx-2-/)
  }
)
