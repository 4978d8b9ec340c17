/**
 * Sends random messages to a running server, and checks that it survives them.
 */
import { expect } from "vitest"
import { hostileBodies, hostileMessages, marker } from "./Hostile.ts"
import {
  callOver,
  type Headers,
  messageOf,
  modernHeaders,
  openSession,
  post,
  type RawHttp
} from "./RawHttp.ts"
import { callOf, type Era, eras, type Message, type RawStdio } from "./RawStdio.ts"
import type { RunningServer } from "./Server.ts"

const preview = { message: "Hello" }

let asked = 0

/** Sends a valid request. Its response comes after everything that was written before. */
export const expectServingStdio = async (stdio: RawStdio, era: Era) => {
  asked += 1
  const response = await stdio.ask(callOf(era, `good-${asked}`, "preview_sms", preview))
  expect(response.result).toMatchObject({ structuredContent: { segments: 1 } })
}

export const expectServingHttp = async ({ url }: RawHttp) => {
  const { result } = await messageOf(await callOver(url, "modern", 1, "preview_sms", preview))
  expect(result).toMatchObject({ structuredContent: { segments: 1 } })
}

export const expectNoContent = ({ written }: RunningServer) =>
  expect(written.stderr).not.toContain(marker)

export interface Load {
  readonly batches: number
  readonly perBatch: number
  /** A text that the server must never write. */
  readonly secret: string
  readonly afterBatch?: (batch: number) => Promise<void>
}

export const expectToSurviveStdio = async (
  stdio: RawStdio,
  era: Era,
  { afterBatch, batches, perBatch, secret }: Load
) => {
  for (let batch = 1; batch <= batches; batch += 1) {
    await stdio.send(...hostileMessages(era, perBatch, batch))
    await expectServingStdio(stdio, era)
    await afterBatch?.(batch)
  }
  for (const message of stdio.messages()) expect(message.jsonrpc).toBe("2.0")
  const { server } = stdio
  expectNoContent(server)
  expect(server.written.stdout + server.written.stderr).not.toContain(secret)
  for (const entry of server.written.stderr.split("\n").slice(0, -1)) JSON.parse(entry)
  server.stdin.end()
  expect(await server.ended).toMatchObject({ code: 0, signal: null })
}

/** Posts the bodies, eight at a time, and reads every response to its end. */
const postAll = async (
  url: string,
  bodies: ReadonlyArray<unknown>,
  headersOf: (body: unknown) => Headers,
  seen: (response: Response, text: string) => void
) => {
  const left = bodies.values()
  const worker = async () => {
    for (const body of left) {
      const response = await post(url, JSON.stringify(body), { headers: headersOf(body) })
      seen(response, await response.text())
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

const headerSafe = (value: unknown) => encodeURIComponent(String(value))

/** The headers that a correct client would send with the body. */
const matchingHeaders = (body: unknown): Headers => {
  const { method, params } = body as Message
  const name = params?.["name"] ?? params?.["uri"]
  return modernHeaders(headerSafe(method), name === undefined ? undefined : headerSafe(name))
}

export const expectToSurviveHttp = async (
  http: RawHttp,
  { afterBatch, batches, perBatch, secret }: Load
) => {
  const session = await openSession(http.url)
  const ways: ReadonlyArray<readonly [Era, (body: unknown) => Headers]> = [
    ["modern", matchingHeaders],
    ["modern", () => ({})],
    ["legacy", () => ({})],
    ["legacy", () => ({ "mcp-session-id": session })]
  ]
  const statuses = new Set<number>()
  for (let batch = 1; batch <= batches; batch += 1) {
    for (const [index, [era, headersOf]] of ways.entries()) {
      const bodies = hostileBodies(era, perBatch / ways.length, batch * ways.length + index)
      await postAll(http.url, bodies, headersOf, (response, text) => {
        statuses.add(response.status)
        expect(text).not.toContain(secret)
      })
    }
    await expectServingHttp(http)
    await afterBatch?.(batch)
  }
  // Served, ignored or refused, but never 500.
  expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 202, 400, 404])
  const { server } = http
  expectNoContent(server)
  expect(server.written.stdout).toBe("")
  expect(server.written.stderr).not.toContain(secret)
  for (const era of eras) {
    const call = await callOver(http.url, era, 1, "preview_sms", preview, { session })
    expect((await messageOf(call)).result).toBeDefined()
  }
  server.stop()
  expect(await server.ended).toMatchObject({ code: 0, signal: null })
}
