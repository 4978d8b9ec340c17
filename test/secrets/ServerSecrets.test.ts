import { createHash } from "node:crypto"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { reply } from "../harness/ResponseServer.ts"
import { token as serviceToken } from "../harness/Clients.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { openRespondingUpstream } from "../harness/mcp/RespondingUpstream.ts"
import { messageOf, modernHeaders, openHttp, openSession, post } from "../harness/mcp/RawHttp.ts"
import {
  callOf,
  type Era,
  eras,
  initializeOf,
  type Message,
  openStdio,
  requestOf
} from "../harness/mcp/RawStdio.ts"
import { openSandbox, type RealSandbox } from "../harness/mcp/RealSandbox.ts"
import type { Environment, RunningServer } from "../harness/mcp/RunningServer.ts"

const token = "TOKEN-f00dfacef00dface"
const key = "KEY-0123456789abcdef0123456789abcdef"

const secrets = [token, key]

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

interface Session extends AsyncDisposable {
  readonly server: RunningServer
  readonly ask: (message: { readonly id: unknown; readonly method: string }) => Promise<Message>
  /** Calls, and cancels the call once the service has the request. */
  readonly giveUp: (name: string, args: object) => Promise<void>
  /** Everything that was received, as on the wire. */
  readonly heard: () => string
}

let nextId = 0
const newId = () => {
  nextId += 1
  return nextId
}

const webhooks = { MESSAGING_TOPUP_MCP_WEBHOOK_URL: `https://${personal.webhook}/status` }

const overStdio = async (
  era: Era,
  sandbox: RealSandbox,
  args: ReadonlyArray<string>,
  env: Environment
): Promise<Session> => {
  const stdio = await openStdio(era, args, { env: { ...env, ...webhooks } })
  return {
    server: stdio.server,
    ask: stdio.ask,
    giveUp: async (name, callArgs) => {
      const id = newId()
      await stdio.send(callOf(era, id, name, callArgs))
      await sandbox.until(({ requests }) => requests.length >= 1)
      await stdio.send({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: id, reason: `${personal.text} ${recipient}` }
      })
    },
    heard: () => stdio.server.written.stdout,
    [Symbol.asyncDispose]: () => stdio[Symbol.asyncDispose]()
  }
}

const overHttp = async (
  era: Era,
  sandbox: RealSandbox,
  args: ReadonlyArray<string>,
  env: Environment
): Promise<Session> => {
  const http = await openHttp(args, {
    env: { ...env, ...webhooks, MESSAGING_TOPUP_MCP_BEARER_KEYS: `me:${key}` }
  })
  const authorization = { authorization: `Bearer ${key}` }
  const session = era === "legacy" ? await openSession(http.url, authorization) : ""
  const heard: Array<string> = []
  const refusals: ReadonlyArray<Readonly<Record<string, string>>> = [
    {},
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${key}x` },
    { authorization: `Basic ${key}` },
    { ...authorization, origin: `https://${personal.webhook}` },
    { ...authorization, "mcp-session-id": personal.text }
  ]
  for (const headers of refusals) {
    const response = await post(http.url, initializeOf(personal.text), { headers })
    heard.push(JSON.stringify([...response.headers]), await response.text())
    expect(response.status).toBeGreaterThanOrEqual(400)
  }
  const headersOf = (method: string, params: object): Readonly<Record<string, string>> => {
    const { name, uri } = params as { readonly name?: string; readonly uri?: string }
    return {
      ...authorization,
      ...(era === "modern" ? modernHeaders(method, name ?? uri) : { "mcp-session-id": session })
    }
  }
  const send = (message: object, signal?: AbortSignal) => {
    const { method, params } = message as { readonly method: string; readonly params: object }
    return post(http.url, message, {
      headers: headersOf(method, params),
      ...(signal === undefined ? {} : { signal })
    })
  }
  return {
    server: http.server,
    ask: async (message) => {
      const response = await send(message)
      heard.push(JSON.stringify([...response.headers]), await response.clone().text())
      return messageOf(response)
    },
    giveUp: async (name, callArgs) => {
      const id = newId()
      const gone = new AbortController()
      const call = send(callOf(era, id, name, callArgs), gone.signal)
      await sandbox.until(({ requests }) => requests.length >= 1)
      if (era === "legacy") {
        const cancelled = await send({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id, reason: `${personal.text} ${recipient}` }
        })
        expect(cancelled.status).toBe(202)
      }
      if (era === "legacy") await call
      gone.abort()
      await call.catch(() => {})
    },
    heard: () => heard.join("\n"),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]()
  }
}

const transports = { stdio: overStdio, http: overHttp }

const combinations = eras.flatMap((era) =>
  (["stdio", "http"] as const).map((transport) => ({ era, transport }))
)

/** The fields that a log entry of a send may have. */
const fields = [
  "time",
  "level",
  "event",
  "principal",
  "digest",
  "outcome",
  "message_id",
  "code",
  "error",
  "http_status",
  "retry_after_seconds",
  "segments",
  "max_segments",
  "approved_by"
]

type Entry = Readonly<Record<string, unknown>>

const logOf = (server: RunningServer): ReadonlyArray<Entry> =>
  server.written.stderr
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text) as Entry)

const audited = (server: RunningServer) =>
  logOf(server).filter(({ event }) => event === "send" || event === "send refused")

/** The log uses another pipe than the response, so it may arrive later. */
const auditedUpTo = async (server: RunningServer, lines: number) => {
  await server.until(
    "stderr",
    new RegExp(`(?:[^]*?"event":"send(?: refused)?"[^\\n]*\\n){${lines}}`)
  )
  return audited(server)
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

const reads: ReadonlyArray<readonly [string, object]> = [
  ["get_sms_status", { message_id: personal.id }],
  ["get_sms_status", { message_id: `${personal.id}0500` }],
  ["get_airtime_status", { referencecode: `${personal.id}0402` }],
  ["get_data_bundle_status", { referencecode: `${personal.id}0502` }],
  ["list_data_bundles", { query: [personal.number] }],
  ["list_data_bundles", {}],
  ["preview_sms", { message: personal.text }]
]

/** The outcome in the log, by the suffix of the recipient. */
const outcomes = {
  "": "sent",
  "0400": "not-sent",
  "0401": "not-sent",
  "0402": "not-sent",
  "0403": "not-sent",
  "0500": "unknown",
  "0502": "unknown",
  "0429": "not-sent",
  "0900": "unknown",
  "0902": "sent"
}

describe.each(combinations)("over $transport, in the $era era,", ({ era, transport }) => {
  it("no response and no log contains a secret, and no log contains a recipient or a text", async () => {
    await using sandbox = await openSandbox(token)
    await using session = await transports[transport](
      era,
      sandbox,
      ["--allow-recipients", `+${personal.number}*`, "--max-segments", "2"],
      sandbox.env
    )
    const { ask, server } = session
    // This is first, so that the sandbox has received nothing else.
    await session.giveUp("send_sms", sms(forced("0901")))
    await sandbox.hurry()
    await server.until("stderr", /"event":"send"/)

    const call = (name: string, args: object) => ask(callOf(era, newId(), name, args))
    // At once, so that the waits of retries overlap.
    await Promise.all([
      ...Object.keys(outcomes).map((suffix) => call("send_sms", sms(forced(suffix)))),
      ...reads.map(([name, args]) => call(name, args))
    ])
    // One refusal of each kind: allow-list, segments, unknown outcome, arguments.
    await call("send_sms", sms("+491700000000"))
    await call("send_sms", sms(recipient, personal.text.repeat(50)))
    await call("send_sms", sms(forced("0500")))
    await call("send_sms", { ...sms(recipient), [personal.text]: personal.number })
    await call("send_sms", { ...sms(recipient), recipient: { [personal.number]: token } })
    await call(personal.text, sms(recipient))
    await ask(requestOf(era, newId(), "tools/list", {}))

    for (const secret of secrets) {
      expect(session.heard()).not.toContain(secret)
      expect(server.written.stderr).not.toContain(secret)
    }
    for (const [what, value] of Object.entries(personal)) {
      expect(server.written.stderr, what).not.toContain(value)
    }
    // The check itself works: with this token and this text, the service accepted an SMS.
    expect(JSON.stringify(await sandbox.messages())).toContain(personal.text)
  })

  it("every send and every refused send leaves one log entry, and nothing else does", async () => {
    await using sandbox = await openSandbox(token)
    await using session = await transports[transport](
      era,
      sandbox,
      ["--allow-recipients", `+${personal.number}*`],
      sandbox.env
    )
    const { ask, server } = session
    const send = (args: object) => ask(callOf(era, newId(), "send_sms", args))
    const principal = transport === "stdio" ? "local" : "key:me"
    const digests = new Set<unknown>()
    let lines = 0
    for (const [suffix, outcome] of Object.entries(outcomes)) {
      const to = forced(suffix)
      const response = await send(sms(to))
      lines += 1
      const entries = await auditedUpTo(server, lines)
      expect(entries).toHaveLength(lines)
      const entry = entries.at(-1) ?? {}
      expect(entry, suffix).toMatchObject({
        event: "send",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        principal,
        digest: expect.stringMatching(/^[\w-]{22}$/),
        outcome
      })
      const data = response.result?.["structuredContent"] as
        | { readonly data?: ReadonlyArray<{ readonly message_id: string }> }
        | undefined
      expect(entry["message_id"]).toEqual(data?.data?.map(({ message_id }) => message_id))
      digests.add(entry["digest"])
      const guesses = plainHashes(to, personal.text, personal.sender, principal)
      expect(guesses).not.toContain(entry["digest"])
      expect(entry["digest"]).not.toBe(plainHashes(JSON.stringify(sms(to)))[0])
    }
    expect(digests.size).toBe(Object.keys(outcomes).length)

    const refused: ReadonlyArray<readonly [object, string]> = [
      [sms("+491700000000"), "recipient_not_allowed"],
      [sms(recipient, "x".repeat(5_000)), "too_many_segments"],
      [sms(forced("0500")), "unknown_not_resent"]
    ]
    for (const [args, code] of refused) {
      await send(args)
      lines += 1
      const entries = await auditedUpTo(server, lines)
      expect(entries).toHaveLength(lines)
      expect(entries.at(-1)).toMatchObject({
        event: "send refused",
        time: expect.any(String),
        principal,
        code
      })
    }
    // A duplicate and a read leave no entry.
    expect((await send(sms(recipient))).result).toMatchObject({
      structuredContent: { sent_by_this_call: false }
    })
    await Promise.all(reads.map(([name, args]) => ask(callOf(era, newId(), name, args))))
    expect(audited(server)).toHaveLength(lines)
    for (const name of audited(server).flatMap(Object.keys)) expect(fields).toContain(name)
  })
})

describe("what the service returns", () => {
  /** Returns the log after the service gave a message this id. */
  const loggedWith = async (id: string) => {
    await using upstream = await openRespondingUpstream()
    await using stdio = await openStdio("modern", [], {
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

  it("cannot put the access token into the log", async () => {
    const server = await loggedWith(`Bearer ${serviceToken}`)
    expect(audited(server)).toMatchObject([{ outcome: "sent", message_id: ["Bearer <redacted>"] }])
    expect(server.written.stderr).not.toContain(serviceToken)
  })
})

describe("the digest in the log", () => {
  const digestOf = async (env: Environment, args: ReadonlyArray<string> = []) => {
    await using stdio = await openStdio("modern", args, { env: { ...env, ...webhooks } })
    await stdio.ask(callOf("modern", 1, "send_sms", sms(recipient)))
    return (await auditedUpTo(stdio.server, 1))[0]?.["digest"]
  }

  it("differs with another state, because its key is stored there", async () => {
    await using sandbox = await openSandbox(token)
    expect(await digestOf(sandbox.env)).not.toBe(await digestOf(sandbox.env))
    const path = temporaryFolder()
    const kept = (name: string) =>
      `--duplicate-window=0 seconds|--state=sqlite:${join(path, name)}`.split("|")
    const first = await digestOf(sandbox.env, kept("one"))
    expect(await digestOf(sandbox.env, kept("one"))).toBe(first)
    expect(await digestOf(sandbox.env, kept("two"))).not.toBe(first)
  })
})
