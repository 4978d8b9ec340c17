import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeAddress, start, startAs } from "./support/Command.ts"

const token = "log-token-of-the-test"
const args = ["--port", "0", "--json", "--token", token]

type Send = (path: string, body?: object | string, method?: string) => Effect.Effect<unknown>

const sendTo =
  (baseUrl: string): Send =>
  (path, body, method = "POST") =>
    Effect.promise(() =>
      fetch(baseUrl + path, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined
          ? {}
          : { method, body: typeof body === "string" ? body : JSON.stringify(body) })
      })
        .then((response) => response.text())
        .catch(() => "failed")
    )

/**
 * Starts the command, sends the requests, and returns the lines on stderr after the command ended.
 */
const logOf = Effect.fnUntraced(function* (
  options: ReadonlyArray<string>,
  requests: (send: Send) => Effect.Effect<unknown>
) {
  const { ended, process, until } = yield* start("--port", "0", "--token", token, ...options)
  const text = yield* until(/127\.0\.0\.1:\d+[\s\S]*\n/)
  const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ""
  yield* requests(sendTo(baseUrl))
  process.kill("SIGTERM")
  const { stderr, stdout } = yield* ended
  return { lines: stderr.split("\n").slice(0, -1), stdout }
})

const sms = { recipient: "+15551234567", message: "The secret is 42" }

const some: (send: Send) => Effect.Effect<unknown> = Effect.fnUntraced(function* (send) {
  yield* send("/sms/send", sms)
  yield* send("/sms/send", { ...sms, recipient: "+15550000402" })
  yield* send("/sms/send", { ...sms, recipient: "+15550000900" })
  yield* send("/sms/send", { ...sms, recipient: "" })
  yield* send("/sms/%2B15551234567")
  yield* send("/sms/%0a%1b%5b31m%e2%80%ae")
  yield* send("/sms/send", "The secret is 42")
  yield* send("/sms/send", { ...sms, recipient: "4711" })
  yield* send("/_sandbox/messages")
})

describe("the log of the command", () => {
  it.live(
    "has one line per request: time, method, path, status, refusal, message id, milliseconds",
    () =>
      Effect.gen(function* () {
        const { lines } = yield* logOf([], some)
        const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
        const expected = [
          String.raw`POST /sms/send 202 sbx-1-[a-z]{8} \d+ ms`,
          String.raw`POST /sms/send 402 forced 0402 \d+ ms`,
          String.raw`POST /sms/send - forced 0900 sbx-2-[a-z]{8} \d+ ms`,
          String.raw`POST /sms/send 400 recipient: it is empty; give a phone number \d+ ms`,
          String.raw`GET /sms/%2B\*\*\*4567 404 No message was found with the id \+\*\*\*4567 \d+ ms`,
          String.raw`GET /sms/%0a%1b%5b31m%e2%80%ae 404 No message was found with the id \?\?\[31m\? \d+ ms`,
          String.raw`POST /sms/send 400 Expected a valid JSON body \d+ ms`,
          String.raw`POST /sms/send 202 sbx-3-[a-z]{8} \d+ ms`
        ]
        expect(lines).toHaveLength(expected.length)
        for (const [index, line] of expected.entries()) {
          expect(lines[index]).toMatch(new RegExp(`^${time} ${line}$`))
        }
      })
  )

  it.live("has one JSON object per line with --json, and stdout has only one line", () =>
    Effect.gen(function* () {
      const { lines, stdout } = yield* logOf(["--json"], some)
      const logged = lines.map((line) => JSON.parse(line))
      expect(logged[0]).toEqual({
        time: expect.any(String),
        method: "POST",
        path: "/sms/send",
        status: 202,
        message_id: expect.stringMatching(/^sbx-1-/),
        disconnected: false,
        id: 1,
        milliseconds: expect.any(Number)
      })
      expect(logged[1]).toMatchObject({ status: 402, fault: "Response", forced: "0402" })
      expect(logged[2]).not.toHaveProperty("status")
      expect(logged[3]).toMatchObject({
        status: 400,
        refusal: expect.stringContaining("recipient")
      })
      expect(logged[4].path).toBe("/sms/%2B***4567")
      expect(logged).toHaveLength(8)
      expect(stdout.split("\n")).toHaveLength(2)
      yield* decodeAddress(stdout)
    })
  )

  for (const options of [[], ["--json"]]) {
    it.live(
      `has no message text, phone number, token or control character: ${options.join()}`,
      () =>
        Effect.gen(function* () {
          const { lines } = yield* logOf(options, some)
          const text = lines.join("\n")
          for (const secret of ["secret", "5551234567", "15550000402", token, "4711"]) {
            expect(text).not.toContain(secret)
          }
          expect(lines.join("")).toMatch(/^[\x20-\x7e]*$/)
          for (const line of lines) expect(line.length).toBeLessThan(600)
        })
    )
  }

  it.live("names the fault of a request", () =>
    Effect.gen(function* () {
      const { lines } = yield* logOf([], (send) =>
        Effect.andThen(
          send("/_sandbox/fault", { fault: "Response", status: 503 }, "PUT"),
          send("/sms/send", sms)
        )
      )
      expect(lines).toEqual([expect.stringMatching(/ POST \/sms\/send 503 fault Response \d+ ms$/)])
    })
  )

  it.live("does not block the sandbox or its exit if it is not read", () =>
    Effect.gen(function* () {
      const { ended, process, until } = yield* startAs({ readsStderr: false }, args)
      const { baseUrl } = yield* Effect.flatMap(until(/\n/), decodeAddress)
      const send = sendTo(baseUrl)
      // More than a pipe takes.
      yield* Effect.forEach(Array(6000).keys(), () => send(`/${"x".repeat(150)}`), {
        concurrency: 20,
        discard: true
      })
      process.kill("SIGTERM")
      expect(yield* ended).toMatchObject({ code: 0, signal: null })
    })
  )
})
