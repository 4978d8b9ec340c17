import { sendFields } from "@messaging-topup/mcp-server/src/Log.ts"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { reply } from "../harness/ResponseServer.ts"
import { token as serviceToken } from "../harness/Clients.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import {
  messageOf,
  modernHeaders,
  openHttp,
  openSession,
  post,
  type PostOptions
} from "../harness/mcp/RawHttp.ts"
import { callOf, openStdio } from "../harness/mcp/RawStdio.ts"
import { eachOnce, type Route, routes } from "../harness/mcp/GuardedServer.ts"
import { openSandbox, type RealSandbox } from "../harness/mcp/RealSandbox.ts"
import type { Environment, RunningServer } from "../harness/mcp/Server.ts"
import type { ToolThatAsks } from "../harness/mcp/ToolNames.ts"
import { isFull } from "../harness/Runs.ts"

const token = "TOKEN-f00dfacef00dface"
const key = "KEY-0123456789abcdef0123456789abcdef"

/** Recipients and texts of a person, which must be in no log. */
const personal = {
  // Fictional, and short, so that it is still one number with a suffix.
  number: "15551122334",
  text: "TEXT-of-the-message",
  sender: "SENDERID",
  webhook: "webhook.example",
  id: "ID-of-something"
}

const sms = (recipient: string, text = personal.text) => ({
  recipient,
  message: text,
  sender_id: personal.sender
})

const recipient = `+${personal.number}`

/** Ends in a suffix that makes the sandbox respond in that way. */
const forced = (suffix: string) => `${recipient}${suffix}`

const webhooks = { MESSAGING_TOPUP_MCP_WEBHOOK_URL: `https://${personal.webhook}/status` }

let calls = 0

/** A server that is called as raw as can be, and everything that its client hears. */
const open = async ({ era, over }: Route, { env }: RealSandbox, args: ReadonlyArray<string>) => {
  const environment = { ...env, ...webhooks }
  const callWith = (name: string, given: object) => callOf(era, (calls += 1), name, given)
  if (over === "stdio") {
    const stdio = await openStdio(era, args, { env: environment })
    return {
      server: stdio.server,
      call: (name: string, given: object) => stdio.ask(callWith(name, given)),
      /** Begins a call, and returns what cancels it. */
      begin: async (name: string, given: object) => {
        await stdio.send(callWith(name, given))
        const params = { requestId: calls, reason: `${personal.text} ${recipient}` }
        return () => stdio.send({ jsonrpc: "2.0", method: "notifications/cancelled", params })
      },
      heard: () => stdio.server.written.stdout,
      [Symbol.asyncDispose]: () => stdio[Symbol.asyncDispose]()
    }
  }
  const keys = { MESSAGING_TOPUP_MCP_BEARER_KEYS: `me:${key}` }
  const http = await openHttp(args, { env: { ...environment, ...keys } })
  const authorization = { authorization: `Bearer ${key}` }
  const heard: Array<string> = []
  const posted = async (message: object, init: PostOptions) => {
    const response = await post(http.url, message, init)
    heard.push(JSON.stringify([...response.headers]), await response.clone().text())
    return response
  }
  const refusals: ReadonlyArray<Readonly<Record<string, string>>> = [
    {},
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${key}x` },
    { authorization: `Basic ${key}` },
    { ...authorization, origin: `https://${personal.webhook}` },
    { ...authorization, "mcp-session-id": personal.text }
  ]
  for (const headers of refusals) {
    const { status } = await posted(callOf("legacy", personal.text, personal.text), { headers })
    expect(status).toBeGreaterThanOrEqual(400)
  }
  const session = era === "legacy" ? await openSession(http.url, authorization) : ""
  const call = async (name: string, given: object, init: PostOptions = {}) => {
    const ofEra =
      era === "modern" ? modernHeaders("tools/call", name) : { "mcp-session-id": session }
    const headers = { ...authorization, ...ofEra }
    return messageOf(await posted(callWith(name, given), { ...init, headers }))
  }
  return {
    server: http.server,
    call,
    begin: (name: string, given: object) => {
      const gone = new AbortController()
      const calling = call(name, given, { signal: gone.signal }).catch(() => {})
      return Promise.resolve(async () => {
        gone.abort()
        await calling
      })
    },
    heard: () => heard.join("\n"),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]()
  }
}

/** The fields that a log entry of a send may have. */
const fields = Object.keys(sendFields)

const audited = ({ log }: RunningServer) =>
  log.entries().filter(({ event }) => event === "send" || event === "send refused")

/** The log uses another pipe than the response, so it may arrive later. */
const auditedUpTo = async (server: RunningServer, lines: number) => {
  const line = '[^]*?"event":"send(?: refused)?"[^\\n]*\\n'
  await server.until("stderr", new RegExp(`(?:${line}){${lines}}`))
  expect(audited(server)).toHaveLength(lines)
  return audited(server).at(-1)
}

/** The encodings in which a secret could still be recognised. */
const plainHashes = (...parts: ReadonlyArray<string>) =>
  ["md5", "sha1", "sha256", "sha512"].flatMap((algorithm) =>
    [...parts, parts.join(""), parts.join("|"), JSON.stringify(parts)].flatMap((text) =>
      (["hex", "base64", "base64url"] as const).map((encoding) =>
        createHash(algorithm).update(text).digest(encoding)
      )
    )
  )

const reads: Readonly<Record<ToolThatAsks<"nothing" | "to read">, ReadonlyArray<object>>> = {
  get_sms_status: [{ message_id: personal.id }, { message_id: `${personal.id}0500` }],
  get_airtime_status: [{ referencecode: `${personal.id}0402` }],
  get_data_bundle_status: [{ referencecode: `${personal.id}0502` }],
  list_data_bundles: [{ query: [personal.number] }, {}],
  preview_sms: [{ message: personal.text }],
  list_recent_sends: [{ recipients: [recipient] }]
}

/**
 * The outcome, the level in the log, and which variable may be wrong, by the suffix of the recipient. What concerns the
 * account is an error.
 */
const outcomes: Readonly<Record<string, readonly [outcome: string, level: string, name?: string]>> =
  {
    "": ["sent", "info"],
    "0400": ["not-sent", "info"],
    "0401": ["not-sent", "error", "TOKEN"],
    "0402": ["not-sent", "error"],
    "0403": ["not-sent", "error", "TOKEN"],
    "0404": ["not-sent", "info", "BASE_URL"],
    "0500": ["unknown", "warn"],
    "0502": ["unknown", "warn"],
    "0429": ["not-sent", "info"],
    "0900": ["unknown", "warn"],
    "0902": ["sent", "info"],
    "0904": ["unknown", "warn", "BASE_URL"]
  }

describe.for(isFull ? routes : eachOnce)("over $over, in the $era era,", (route) => {
  it("each send and each refused one has one entry in the log, and nothing secret is shown", async () => {
    await using sandbox = await openSandbox(token)
    const args = ["--allow-recipients", `+${personal.number}*`, "--max-segments", "2"]
    await using session = await open(route, sandbox, args)
    const { call, server } = session
    const caller = route.over === "stdio" ? "local" : "key:me"
    const cancel = await session.begin("send_sms", sms(forced("0901")))
    await sandbox.until(({ requests }) => requests.length >= 1)
    // It is logged before its request starts, with the digest of its end.
    const begun = server.log.entries().at(-1)
    const ofSend = { digest: expect.any(String), id: expect.any(Number) }
    expect(begun).toMatchObject({ event: "sending", ...ofSend })
    await cancel()
    await sandbox.hurry()
    let lines = 1
    expect(await auditedUpTo(server, lines)).toMatchObject({
      digest: begun?.["digest"],
      id: begun?.["id"]
    })

    const digests = new Set<unknown>()
    for (const [suffix, [outcome, level, name]] of Object.entries(outcomes)) {
      const to = forced(suffix)
      const { result } = await call("send_sms", sms(to))
      const entry = (await auditedUpTo(server, ++lines)) ?? expect.fail("no entry")
      expect(entry, suffix).toMatchObject({
        event: "send",
        level,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        caller,
        digest: expect.stringMatching(/^[\w-]{22}$/),
        outcome
      })
      // What the operator has to correct.
      expect(entry["variable"]).toBe(name && `MESSAGING_TOPUP_${name}`)
      const { data } = Object(result?.["structuredContent"])
      const ids = data?.map(({ message_id }: { readonly message_id: string }) => message_id)
      expect(entry["message_id"]).toEqual(ids)
      digests.add(entry["digest"])
      const guesses = plainHashes(to, personal.text, personal.sender, caller)
      expect([...guesses, ...plainHashes(JSON.stringify(sms(to)))]).not.toContain(entry["digest"])
    }
    expect(digests.size).toBe(Object.keys(outcomes).length)

    const refused: ReadonlyArray<readonly [object, string]> = [
      [sms("+491700000000"), "recipient_not_allowed"],
      [sms(recipient, personal.text.repeat(50)), "too_many_segments"],
      [sms(forced("0500")), "unknown_not_resent"]
    ]
    for (const [given, code] of refused) {
      await call("send_sms", given)
      const entry = await auditedUpTo(server, ++lines)
      expect(entry).toMatchObject({ event: "send refused", caller, code })
    }

    // Duplicates, reads and invalid calls leave no entry.
    expect((await call("send_sms", sms(recipient))).result).toMatchObject({
      structuredContent: { sent_by_this_call: false }
    })
    await call("send_sms", { ...sms(recipient), [personal.text]: personal.number })
    await call("send_sms", { ...sms(recipient), recipient: { [personal.number]: token } })
    await call(personal.text, sms(recipient))
    await Promise.all(
      Object.entries(reads).flatMap(([name, all]) => all.map((given) => call(name, given)))
    )
    expect(audited(server)).toHaveLength(lines)
    for (const name of audited(server).flatMap(Object.keys)) expect(fields).toContain(name)

    for (const secret of [token, key]) {
      expect(session.heard()).not.toContain(secret)
      expect(server.written.stderr).not.toContain(secret)
    }
    for (const [what, value] of Object.entries(personal)) {
      expect(server.written.stderr, what).not.toContain(value)
    }
    // The check itself works: with this token and this text, the service accepted an SMS.
    expect(JSON.stringify(await sandbox.messages())).toContain(personal.text)
  })
})

describe("what the service returns", () => {
  /** Returns the log after the service gave a message this id. */
  const loggedWith = async (id: string) => {
    await using upstream = await openRespondingUpstream()
    await using stdio = await openStdio("modern", ["--allow-recipients=*"], {
      env: { ...upstream.environment, ...webhooks }
    })
    const data = [{ recipient, message_id: id, status: id }]
    const body = { success: true, status: 202, message: id, data }
    upstream.respondWith(reply(202, body))
    await stdio.ask(callOf("modern", 1, "send_sms", sms(recipient)))
    await stdio.ask(callOf("modern", 2, "get_sms_status", { message_id: id }))
    return stdio.server
  }

  it("is logged without control characters and invisible characters", async () => {
    const id = 'm-1\u202e\u2066\u0085\u009b31m\u001b[31m\u2028\u200b\u{e0041}\n{"event":"send"}'
    const server = await loggedWith(id)
    expect(server.written.stderr).toMatch(/^[\u0020-\u007e\n]+$/)
    expect(server.written.stderr).toContain(
      "\\u202e\\u2066\\u0085\\u009b31m\\u001b[31m\\u2028\\u200b"
    )
    // One line, from which the id can still be read.
    expect(audited(server)).toMatchObject([{ event: "send", outcome: "sent", message_id: [id] }])
  })

  it.each([
    [`sms-${recipient.slice(1)}-1`, []],
    [`m-${recipient.slice(3, 10)}`, []],
    [`m-${recipient.slice(3, 9)}`, [`m-${recipient.slice(3, 9)}`]]
  ])("is not in the log if it has seven digits of the number in a row: %s", async (id, logged) => {
    const server = await loggedWith(id)
    expect(audited(server)).toMatchObject([{ event: "send", outcome: "sent", message_id: logged }])
    if (logged.length === 0) expect(server.written.stderr).not.toContain(id)
  })

  it("cannot put the access token into the log", async () => {
    const server = await loggedWith(`Bearer ${serviceToken}`)
    expect(audited(server)).toMatchObject([{ outcome: "sent", message_id: ["Bearer <redacted>"] }])
    expect(server.written.stderr).not.toContain(serviceToken)
  })
})

describe("the digest in the log", () => {
  const digestOf = async (env: Environment, args: ReadonlyArray<string> = []) => {
    await using stdio = await openStdio("modern", args, { env: { ...env, ...webhooks } })
    // It is refused with 402, which leaves nothing: the same SMS can be tried again.
    await stdio.ask(callOf("modern", 1, "send_sms", sms("+15550000402")))
    return (await auditedUpTo(stdio.server, 1))?.["digest"]
  }

  it("differs with another state, because its key is stored there", async () => {
    await using sandbox = await openSandbox(token)
    expect(await digestOf(sandbox.unasked)).not.toBe(await digestOf(sandbox.unasked))
    const path = temporaryFolder()
    const kept = (name: string) => `--journal=${join(path, name)}`.split("|")
    const first = await digestOf(sandbox.unasked, kept("one"))
    expect(await digestOf(sandbox.unasked, kept("one"))).toBe(first)
    expect(await digestOf(sandbox.unasked, kept("two"))).not.toBe(first)
  })
})
