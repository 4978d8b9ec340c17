/**
 * Who may use the sandbox, and what it refuses: `access.txt`, which a person reads. Vitest's `--update` writes
 * it anew. In it, these lines are given, and all others are what was received:
 *
 *     == a title               a new sandbox; `== exposed: a title` if other machines can reach it
 *     $ POST /sms/send {…}     a request with the right token, and what its record says
 *     $ everything             a request to each endpoint, without a token
 *     | Host: localhost        headers of the request above instead of the usual ones
 */
import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { bodyOf, raw } from "../harness/sandbox/Client.ts"

const file = join(import.meta.dirname, "transcripts/access.txt")

const token = "network:token"

const everything = `GET /, GET /?id=x, GET /healthz, GET /openapi.json, GET /_sandbox/messages,
  POST /_sandbox/messages/x/status, GET /_sandbox/requests, GET /_sandbox/fault, PUT /_sandbox/fault,
  DELETE /_sandbox/fault, DELETE /_sandbox, GET /_sandbox/changes?after=9, POST /_sandbox/send,
  OPTIONS /_sandbox/fault, GET /_sandbox/nope, GET /nope`.split(/,\s+/)

/** Shown only where one of them is missing, or another one is there. */
const ofTheService = [
  "access-control-allow-origin: *",
  "access-control-expose-headers: Retry-After",
  "content-type: application/json"
]

const shownHeaders = /^(access-control-.*|content-type|retry-after|www-authenticate): .*/i

interface Received {
  readonly status: string
  /** Whether pages of other origins may read it. */
  readonly isOpen: boolean
  readonly headers: ReadonlyArray<string>
  readonly body: string
}

/** Sends exactly these headers, which `fetch` cannot. */
const ask = (line: string, headers: ReadonlyArray<string>, body = "") =>
  Effect.map(
    raw(
      [
        / HTTP\//.test(line) ? line : `${line} HTTP/1.1`,
        ...headers,
        ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
        "Connection: close",
        "",
        body
      ].join("\r\n")
    ),
    ({ text }): Received => {
      const [first = "", ...lines] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n")
      const all = lines.filter((each) => shownHeaders.test(each)).toSorted()
      const shown = all.join() === ofTheService.join() ? [] : all
      const isOpen = lines.some((each) => /^access-control/i.test(each))
      const isInChunks = lines.some((each) => /^transfer-encoding/i.test(each))
      const bytes = bodyOf(text)
      return {
        status: first.split(" ")[1] ?? "no response",
        isOpen,
        headers: shown,
        body: isInChunks ? bytes.replaceAll(/^[\da-f]+\r\n|\r\n0\r\n\r\n$/g, "") : bytes
      }
    }
  )

const detailOf = ({ body }: Received): string =>
  body.startsWith('{"success":false') ? JSON.parse(body).error.detail : ""

const askOne = Effect.fnUntraced(function* (step: string, headers: ReadonlyArray<string>) {
  const { messages, requests } = yield* Sandbox
  const [, line = "", given = ""] = /^(\S+ \S+(?: HTTP\/1\.0)?) ?(.*)$/.exec(step) ?? []
  const body = given.replace(/^(\d+) bytes$/, (_, count) => {
    const sms = JSON.stringify({ recipient: "+15551234567", message: "" })
    return sms.replace('""', `"${"x".repeat(Number(count) - sms.length)}"`)
  })
  const { length } = yield* requests()
  const received = yield* ask(line, headers, body)
  const [record, ...others] = yield* requests()
  const isListed = others.length === length && record !== undefined
  const shown = received.body.length > 500 ? `${received.body.length} characters` : received.body
  return [
    `${received.status} ${shown}`,
    ...received.headers,
    `${(yield* messages()).length} SMS, ${isListed ? `recorded: ${record.status} ${record.refusal ?? ""}` : "not recorded"}`
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
    const key = `${received.status}${isOpen ? " (CORS)" : ""} ${asked} ${detailOf(received)}`
    found.set(key, [...(found.get(key) ?? []), line])
    if (received.body.includes(token)) expect.fail(`${line} shows the token`)
  }
  return [
    ...[...found].map(([key, lines]) => `${key}: ${lines.join(", ")}`.replace(/ +:/, ":")),
    `${(yield* messages()).length} SMS`
  ]
})

const runSection = Effect.fnUntraced(function* (section: string) {
  const right = `Bearer ${Redacted.value((yield* Sandbox).token)}`
  const lines = section.split("\n")
  const shown = new Array<string>()
  for (const [at, line] of lines.entries()) {
    if (/^(==|#)/.test(line)) shown.push(line)
    if (!line.startsWith("$ ")) continue
    const below = lines.slice(at + 1)
    const end = below.findIndex((next) => !next.startsWith("|"))
    const given = below.slice(0, end).map((next) => next.slice(2).replace("RIGHT", right))
    const usual = ["Host: localhost", `Authorization: ${right}`, "Content-Type: application/json"]
    const step = line.slice(2)
    const output = yield* step === "everything"
      ? askEverything(given)
      : askOne(step, given.length === 0 ? usual : given)
    shown.push(line, ...below.slice(0, end), ...output)
  }
  return shown.join("\n").replaceAll(/sbx-\d+-[a-z]{8}/g, "sbx-ID")
})

it.live("a request with two Hosts is refused, by Node or by the sandbox", () =>
  Effect.gen(function* () {
    const headers = ["Host: localhost", "Host: evil.example"]
    const { status } = yield* ask("GET /_sandbox/messages", headers)
    expect(["400", "403"]).toContain(status)
  }).pipe(Effect.provide(Sandbox.layer()))
)

it.live("the transcript access.txt is what happens", () =>
  Effect.gen(function* () {
    const sections = readFileSync(file, "utf8").split(/\n(?=== )/)
    const now = yield* Effect.forEach(sections, (section) =>
      Effect.provide(
        runSection(section),
        section.startsWith("== exposed")
          ? Sandbox.layer({ host: "0.0.0.0", token: Redacted.make(token) })
          : Sandbox.layer()
      )
    )
    yield* Effect.promise(() => expect(`${now.join("\n\n")}\n`).toMatchFileSnapshot(file))
  })
)
