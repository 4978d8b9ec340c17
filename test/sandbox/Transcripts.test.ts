/**
 * What the sandbox responds: `transcripts/`. Vitest's `--update` writes them anew. Their steps:
 *
 *     == a title               a new sandbox; `== exposed: a title` if other machines can reach it
 *     $ POST /sms/send {…}     a request with the right token, and what its record says
 *     $ leaving GET /sms/x     the same, and its client leaves after the headers
 *     $ everything             a request to each endpoint, without a token
 *     $ forced outcomes        for each of them, a request of each operation
 *     $ contract               the operations of /openapi.json
 *     | Host: localhost        headers of the request above instead of the usual ones
 *
 * LAST in a request is the id of the newest SMS.
 */
import { expect, it } from "@effect/vitest"
import { forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { globSync } from "node:fs"
import { bodyOf, call, raw } from "../harness/sandbox/Client.ts"
import { transcriptOf } from "../harness/Transcript.ts"

const token = "network:token"

const everything = `GET /, GET /?id=x, GET /healthz, GET /openapi.json, GET /_sandbox/messages,
  POST /_sandbox/messages/x/status, GET /_sandbox/requests, GET /_sandbox/fault, PUT /_sandbox/fault,
  DELETE /_sandbox/fault, DELETE /_sandbox, GET /_sandbox/changes?after=9,
  OPTIONS /_sandbox/fault, GET /_sandbox/nope, GET /nope`.split(/,\s+/)

/** Shown only where one of them is missing, or another one is there. */
const ofTheService = [
  "access-control-allow-origin: *",
  "access-control-expose-headers: Retry-After",
  "content-type: application/json"
]

const shownHeaders = /^(access-control-.*|content-type|retry-after|www-authenticate): .*/i

/** Sends exactly these headers, which `fetch` cannot. */
const ask = Effect.fnUntraced(function* (
  line: string,
  headers: ReadonlyArray<string>,
  body = "",
  isLeaving = false
) {
  const { end, text } = yield* raw(
    [
      / HTTP\//.test(line) ? line : `${line} HTTP/1.1`,
      ...headers,
      ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
      "Connection: close",
      "",
      body
    ].join("\r\n"),
    (got) => isLeaving && got.includes("\r\n\r\n")
  )
  const [first = "", ...lines] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n")
  const all = lines.filter((each) => shownHeaders.test(each)).toSorted()
  const isInChunks = lines.some((each) => /^transfer-encoding/i.test(each))
  const bytes = bodyOf(text)
  const [, announced = "0"] = /\ncontent-length: (\d+)/i.exec(text) ?? []
  const isCut = bytes.length < Number(announced) && !line.startsWith("HEAD ")
  return {
    status: first.split(" ")[1] ?? `no response, ${end}`,
    /** Whether pages of other origins may read it. */
    isOpen: lines.some((each) => /^access-control/i.test(each)),
    headers: all.join() === ofTheService.join() ? [] : all,
    body: isInChunks ? bytes.replaceAll(/^0\r\n\r\n$|^[\da-f]+\r\n|\r\n0\r\n\r\n$/g, "") : bytes,
    /** How much of the body there is, if not all. */
    end: isCut ? `(cut off after ${bytes.length} of ${announced} bytes)` : ""
  }
})

const detailOf = (body: string): string =>
  body.startsWith('{"success":false') ? JSON.parse(body).error.detail : ""

const askOne = Effect.fnUntraced(function* (step: string, headers: ReadonlyArray<string>) {
  const { messages, requests } = yield* Sandbox
  const [, leaving, given = ""] = /^(leaving )?(.*)$/.exec(step) ?? []
  const [last] = yield* messages()
  const request = given.replace("LAST", last?.message_id ?? "")
  const [, line = "", text = ""] = /^(\S+ \S+(?: HTTP\/1\.0)?) ?(.*)$/.exec(request) ?? []
  const body = text.replace(/^(\d+) bytes$/, (_, count) => {
    const sms = JSON.stringify({ recipient: "+15551234567", message: "" })
    return sms.replace('""', `"${"x".repeat(Number(count) - sms.length)}"`)
  })
  const { length } = yield* requests()
  const received = yield* ask(line, headers, body, leaving !== undefined)
  const [record, ...others] = yield* requests()
  const isListed = others.length === length && record !== undefined
  if (isListed) expect(record.path).toBe(line.split(" ")[1])
  const shown = received.body.length > 500 ? `${received.body.length} characters` : received.body
  return [
    `${received.status} ${shown}${received.end}`,
    ...received.headers,
    `${(yield* messages()).length} SMS, ${isListed ? `recorded: ${record.status ?? "no status"} ${record.refusal ?? ""}` : "not recorded"}`
  ]
})

/** The endpoints by what they respond: the status, why, and whether foreign pages may read it. */
const askEverything = Effect.fnUntraced(function* (headers: ReadonlyArray<string>) {
  const { messages } = yield* Sandbox
  const found = new Map<string, ReadonlyArray<string>>()
  for (const line of everything) {
    const received = yield* ask(line, headers)
    const { headers: got, isOpen } = received
    const asked = got.filter((each) => /^www-auth/i.test(each)).join()
    const key = `${received.status}${isOpen ? " (CORS)" : ""} ${asked} ${detailOf(received.body)}`
    found.set(key, [...(found.get(key) ?? []), line])
    if (received.body.includes(token)) expect.fail(`${line} shows the token`)
  }
  return [
    ...[...found].map(([key, lines]) => `${key}: ${lines.join(", ")}`.replace(/ +:/, ":")),
    `${(yield* messages()).length} SMS`
  ]
})

/** The record and the SMS say what was forced. */
const askForced = Effect.fnUntraced(function* (headers: ReadonlyArray<string>) {
  const { messages, requests, reset } = yield* Sandbox
  const shown = new Array<string>()
  for (const { accepted, fault, response, suffix } of forcedOutcomes) {
    yield* reset
    const isLeaving = fault.fault === "HeadersThenSilence"
    const asked = yield* Effect.forEach(
      [
        ["POST /sms/send", `{"recipient":"+1555000${suffix}","message":"Hello"}`],
        [`GET /sms/x${suffix}`],
        [`GET /v1/airtime/x${suffix}`],
        [`GET /v1/databundle/x${suffix}`]
      ] as const,
      ([line, body]) =>
        Effect.map(ask(line, headers, body, isLeaving), (received) => [
          `${line}: ${received.status} ${received.body}${received.end}`,
          ...received.headers
        ]),
      { concurrency: "unbounded" }
    )
    const isForced = { fault: fault.fault, forced: suffix }
    const records = yield* requests()
    expect(records).toMatchObject(asked.map(() => isForced))
    expect(records.filter(({ refusal }) => refusal !== undefined)).toEqual([])
    const { message_id } = records.find(({ method }) => method === "POST") ?? {}
    expect(yield* messages()).toMatchObject(accepted ? [{ ...isForced, message_id }] : [])
    shown.push(`${suffix}: ${response}, ${accepted ? "accepted" : "nothing accepted"}`)
    shown.push(...asked.flat().map((each) => `  ${each}`))
  }
  return shown
})

interface Operation {
  readonly operationId: string
  readonly security: ReadonlyArray<object>
  readonly responses: Readonly<Record<string, object>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object }
}

const reference = /"\$ref":"#\/components\/schemas\/([^"]+)"/g

const referencesIn = (text: string) => [...text.matchAll(reference)].map(([, name = ""]) => name)

const contract = Effect.gen(function* () {
  const { body } = yield* call("/openapi.json", { headers: {} })
  const { components, paths }: OpenApi = JSON.parse(body)
  expect(new Set(referencesIn(body))).toEqual(new Set(Object.keys(components.schemas)))
  const control = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { security }]) => {
      const isOfService = security.length === 1
      return isOfService ? [] : [`${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "x")}`]
    })
  )
  const asked = everything.map((line) => line.replace(/\?.*/, ""))
  expect(asked, "the list `everything`").toEqual(expect.arrayContaining(control))
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, responses, security }]) => {
      const bodies = Object.entries(responses).map(([status, response]) =>
        [status, ...referencesIn(JSON.stringify(response))].join(" ")
      )
      return [
        `${operationId}: ${method} ${path}, security ${JSON.stringify(security)}`,
        `  ${bodies.join(", ")}`
      ]
    })
  )
})

const runStep = Effect.fnUntraced(function* (step: string, below: ReadonlyArray<string>) {
  const right = `Bearer ${Redacted.value((yield* Sandbox).token)}`
  const given = below.map((line) => line.replace("RIGHT", right))
  const usual = ["Host: localhost", `Authorization: ${right}`, "Content-Type: application/json"]
  const headers = given.length === 0 ? usual : given
  const steps: Readonly<Record<string, Effect.Effect<ReadonlyArray<string>, unknown, Sandbox>>> = {
    everything: askEverything(given),
    "forced outcomes": askForced(headers),
    contract
  }
  const shown = yield* steps[step] ?? askOne(step, headers)
  return shown
    .join("\n")
    .replaceAll(/sbx-\d+-[a-z]{8}/g, "sbx-ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
})

it.live("a request with two Hosts is refused, by Node or by the sandbox", () =>
  Effect.gen(function* () {
    const headers = ["Host: localhost", "Host: evil.example"]
    const { status } = yield* ask("GET /_sandbox/messages", headers)
    expect(["400", "403"]).toContain(status)
  }).pipe(Effect.provide(Sandbox.layer()))
)

it.live.each(globSync(`${import.meta.dirname}/transcripts/*.txt`))("%s is what happens", (file) =>
  Effect.gen(function* () {
    const now = yield* transcriptOf(file, (steps, section) =>
      Effect.provide(
        steps(runStep),
        section.startsWith("== exposed")
          ? Sandbox.layer({ host: "0.0.0.0", token: Redacted.make(token) })
          : Sandbox.layer()
      )
    )
    yield* Effect.promise(() => expect(now).toMatchFileSnapshot(file))
  })
)
