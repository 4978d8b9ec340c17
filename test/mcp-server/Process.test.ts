import { Fault } from "@messaging-topup/sandbox"
import { names, variableOf } from "@messaging-topup/mcp-server/src/settings/Options.ts"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import manifest from "../../packages/mcp-server/package.json" with { type: "json" }
import {
  callOver,
  messageOf,
  openHttp,
  openSession,
  post,
  type RawHttp
} from "./support/RawHttp.ts"
import { callOf, eras, initializeOf, openStdio, requestOf } from "./support/RawStdio.ts"
import { openSandbox } from "./support/RealSandbox.ts"
import { type Ended, startServer, type Variables } from "./support/ServerChild.ts"

/** Stands for a secret or a value in every wrong place: it is never echoed. */
const secret = "s3cret-value-0123456789-0123456789"

const service = {
  MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9/v1",
  MESSAGING_TOPUP_TOKEN: secret
}

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-process-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const file = (content: string | Uint8Array) => {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, content)
  return path
}

/** Without input: what serves on stdio ends by itself. */
const run = async (args: ReadonlyArray<string>, env: Variables = {}): Promise<Ended> => {
  await using child = startServer(args, { env })
  child.stdin.end()
  return await child.ended
}

const expectRefused = ({ code, stderr, stdout }: Ended, name: string) => {
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  expect(stderr).toContain(name)
  expect(stderr).not.toContain(secret)
  expect(stderr).not.toMatch(/^ +at /m)
}

const wrongValues: Readonly<Record<string, ReadonlyArray<string>>> = {
  tools: [secret, ",", "send_sms,nope"],
  "allow-recipients": [secret, ",", "*x"],
  "max-segments": [secret, "0", "1.5", "256"],
  "max-sends-per-hour": [secret, "0", "9999999"],
  "duplicate-window": [secret, "10", "25 days"],
  confirm: [secret, "AUTO"],
  "confirm-within": [secret, "0 seconds", "10"],
  "approval-key-file": ["/no/such/file"],
  port: [secret, "65536"],
  "public-url": [secret, "ftp://a.example", `https://user:${secret}@a.example`],
  "allowed-hosts": [`http://${secret}/`, ","],
  "allowed-origins": [`http://${secret}/`, ","],
  "keys-file": ["/no/such/file"],
  "oauth-issuer": [secret],
  "max-sessions": [secret, "0"],
  "session-idle": [secret, "0 seconds"]
}

describe("a wrong setting ends the server with 2 and names itself", () => {
  // Every option by both of its names, every value once.
  const wrong = Object.entries(wrongValues).flatMap(([name, values]) =>
    (values.length > 1 ? values : [...values, ...values]).map(
      (value, index) => [name, value, index % 2 === 0 ? "argument" : "variable"] as const
    )
  )

  it.each(wrong)("--%s %s as %s", async (name, value, how) => {
    const http = { ...service, MESSAGING_TOPUP_MCP_HTTP: "true" }
    const oauth = name.startsWith("oauth") ? ["--public-url=https://a.example/mcp"] : []
    const ended =
      how === "argument"
        ? await run([...oauth, `--${name}=${value}`], http)
        : await run(oauth, { ...http, [variableOf(name)]: value })
    expectRefused(ended, `--${name}`)
    expect(ended.stderr).toContain(variableOf(name))
  })

  it.each(["read-only", "require-allow-list", "http", "sandbox", "help", "version"])(
    "a switch that is neither on nor off: %s",
    async (name) => {
      expectRefused(await run([], { ...service, [variableOf(name)]: secret }), variableOf(name))
    }
  )

  const text = `name:${secret}`
  const cases: ReadonlyArray<
    readonly [string, () => readonly [ReadonlyArray<string>, Variables], string]
  > = [
    ["no service at all", () => [[], {}], "MESSAGING_TOPUP_BASE_URL"],
    [
      "no token",
      () => [[], { MESSAGING_TOPUP_BASE_URL: "https://a.example" }],
      "MESSAGING_TOPUP_TOKEN"
    ],
    ["no address", () => [[], { MESSAGING_TOPUP_TOKEN: secret }], "MESSAGING_TOPUP_BASE_URL"],
    [
      "an empty token",
      () => [[], { ...service, MESSAGING_TOPUP_TOKEN: "" }],
      "MESSAGING_TOPUP_TOKEN"
    ],
    [
      "an address that is none",
      () => [[], { ...service, MESSAGING_TOPUP_BASE_URL: secret }],
      "MESSAGING_TOPUP_BASE_URL"
    ],
    [
      "an address that is not encrypted",
      () => [[], { ...service, MESSAGING_TOPUP_BASE_URL: "http://a.example" }],
      "MESSAGING_TOPUP_BASE_URL"
    ],
    [
      "a token with a line break in it",
      () => [[], { ...service, MESSAGING_TOPUP_TOKEN: `${secret}\n${secret}` }],
      "MESSAGING_TOPUP_TOKEN"
    ],
    [
      "a time-out that is none",
      () => [[], { ...service, MESSAGING_TOPUP_TIMEOUT: secret }],
      "MESSAGING_TOPUP_TIMEOUT"
    ],
    [
      "a token and a file for it",
      () => [[], { ...service, MESSAGING_TOPUP_TOKEN_FILE: file(secret) }],
      "MESSAGING_TOPUP_TOKEN_FILE"
    ],
    [
      "an address and a file for it",
      () => [[], { ...service, MESSAGING_TOPUP_BASE_URL_FILE: file(secret) }],
      "MESSAGING_TOPUP_BASE_URL_FILE"
    ],
    [
      "a file for the token that is not there",
      () => [
        [],
        {
          MESSAGING_TOPUP_BASE_URL: "https://a.example",
          MESSAGING_TOPUP_TOKEN_FILE: "/no/such/file"
        }
      ],
      "MESSAGING_TOPUP_TOKEN_FILE"
    ],
    [
      "an empty file for the token",
      () => [
        [],
        { MESSAGING_TOPUP_BASE_URL: "https://a.example", MESSAGING_TOPUP_TOKEN_FILE: file("\n") }
      ],
      "MESSAGING_TOPUP_TOKEN"
    ],
    [
      "a variable that is spelled wrong",
      () => [["--sandbox"], { MESSAGING_TOPUP_MCP_READONLY: secret }],
      "MESSAGING_TOPUP_MCP_READONLY"
    ],
    [
      "no allow-list where one is required",
      () => [["--sandbox", "--require-allow-list"], {}],
      "--allow-recipients"
    ],
    [
      "an approval key that is too short",
      () => [["--sandbox", "--approval-key-file", file("short")], {}],
      "--approval-key-file"
    ],
    [
      "a public address that nobody guards",
      () => [["--sandbox", "--http", "--port=0", "--host=0.0.0.0"], {}],
      "--keys-file"
    ],
    [
      "a public address without the names of its hosts",
      () => [
        ["--sandbox", "--http", "--port=0", "--host=0.0.0.0"],
        { MESSAGING_TOPUP_MCP_KEYS: text }
      ],
      "--allowed-hosts"
    ],
    [
      "keys and a file for them",
      () => [
        ["--sandbox", "--http", "--port=0", "--keys-file", file(text)],
        { MESSAGING_TOPUP_MCP_KEYS: text }
      ],
      "MESSAGING_TOPUP_MCP_KEYS"
    ],
    [
      "a key that is too short",
      () => [["--sandbox", "--http", "--port=0"], { MESSAGING_TOPUP_MCP_KEYS: "me:s3cret-value" }],
      "MESSAGING_TOPUP_MCP_KEYS"
    ],
    [
      "OAuth without the address that clients use",
      () => [["--sandbox", "--http", "--port=0", "--oauth-issuer=https://a.example"], {}],
      "--public-url"
    ],
    [
      "an audience without an issuer",
      () => [["--sandbox", "--http", "--port=0", "--oauth-audience=a"], {}],
      "--oauth-issuer"
    ]
  ]

  it.each(cases)("%s", async (_, given, name) => {
    const ended = await run(...given())
    expectRefused(ended, name)
    expect(ended.stderr).not.toContain("s3cret-value")
  })

  it.each([
    ["--token", secret],
    [`--token=${secret}`],
    [`--messaging-topup-token=${secret}`],
    [secret],
    ["--sandbox", secret],
    [`--sandbox=${secret}`],
    ["--no-sandbox"],
    ["--port"],
    ["-x", secret]
  ])("arguments that are not understood, which are not repeated: %s %s", async (...args) => {
    expectRefused(
      await run(
        args.filter((arg) => arg !== undefined),
        service
      ),
      "--help"
    )
  })
})

const takenPort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    [Symbol.dispose]: () => {
      server.close()
    }
  }
}

describe("exit codes", () => {
  it("1 where the port is taken, and it says what to do", async () => {
    using taken = await takenPort()
    const ended = await run(["--sandbox", "--http", "--port", String(taken.port)])
    expect(ended).toMatchObject({ code: 1, stdout: "" })
    expect(ended.stderr).toContain(`port ${taken.port}`)
    expect(ended.stderr).toContain("in use")
  })

  it("0 at the end of stdin, before and after a client spoke", async () => {
    expect(await run(["--sandbox"])).toMatchObject({
      code: 0,
      signal: null,
      stdout: "",
      stderr: ""
    })
    for (const era of eras) {
      await using stdio = await openStdio(era)
      await stdio.ask(requestOf(era, 1, "tools/list"))
      stdio.child.stdin.end()
      expect(await stdio.child.ended).toMatchObject({ code: 0, signal: null, stderr: "" })
    }
  })

  it.each(["SIGTERM", "SIGINT"] as const)("0 at %s, on both transports", async (signal) => {
    for (const era of eras) {
      await using stdio = await openStdio(era)
      await stdio.ask(requestOf(era, 1, "tools/list"))
      stdio.child.process.kill(signal)
      expect(await stdio.child.ended).toMatchObject({ code: 0, signal: null })
    }
    await using http = await openHttp()
    await openSession(http.url)
    http.child.process.kill(signal)
    expect(await http.child.ended).toMatchObject({ code: 0, signal: null, stdout: "" })
  })
})

describe("--help and --version", () => {
  it("--help names every option with its variable, on stdout, whatever else is set", async () => {
    const { code, stderr, stdout } = await run(["--help", "--http", "--port", "none"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ +--${name}\\b`, "m"))
    // One example gives the rule for all of them.
    expect(stdout).toContain("--max-segments is MESSAGING_TOPUP_MCP_MAX_SEGMENTS")
    for (const name of [
      "MESSAGING_TOPUP_BASE_URL",
      "MESSAGING_TOPUP_BASE_URL_FILE",
      "MESSAGING_TOPUP_TOKEN",
      "MESSAGING_TOPUP_TOKEN_FILE",
      "MESSAGING_TOPUP_TIMEOUT",
      "MESSAGING_TOPUP_MCP_KEYS"
    ]) {
      expect(stdout).toMatch(new RegExp(`\\b${name}\\b`))
    }
    expect(await run([], { MESSAGING_TOPUP_MCP_HELP: "1" })).toMatchObject({ code: 0, stdout })
  })

  it("--version prints the version of the package", async () => {
    const printed = { code: 0, stdout: `${manifest.version}\n`, stderr: "" }
    expect(await run(["--version"])).toMatchObject(printed)
    expect(await run([], { MESSAGING_TOPUP_MCP_VERSION: "true" })).toMatchObject(printed)
  })
})

const sms = { recipient: "+254700000001", message: "Hello" }

describe("stdout", () => {
  it("carries the protocol alone, whatever Node has to say", async () => {
    const preload = `data:text/javascript,${encodeURIComponent(
      'import "node:timers"; setImmediate(() => { console.log("noise"); console.info("noise"); console.table(["noise"]); process.emitWarning("noise") })'
    )}`
    await using stdio = await openStdio("modern", ["--sandbox"], {
      env: { NODE_DEBUG: "http,net,stream,timer", NODE_OPTIONS: `--import=${preload}` }
    })
    await stdio.ask(callOf("modern", 1, "send_sms", sms))
    await stdio.ask(callOf("modern", 2, "list_data_bundles"))
    stdio.child.stdin.end()
    const { code, stderr } = await stdio.child.ended
    expect(code).toBe(0)
    expect(stderr).toContain("noise")
    expect(stdio.messages().map(({ id, jsonrpc }) => [id, jsonrpc])).toEqual([
      [1, "2.0"],
      [2, "2.0"]
    ])
  })

  it("over HTTP stays empty", async () => {
    await using http = await openHttp()
    await (await callOver(http.url, "modern", 1, "send_sms", sms)).text()
    await (await post(http.url, "garbage")).text()
    http.child.process.kill("SIGTERM")
    expect(await http.child.ended).toMatchObject({ code: 0, stdout: "" })
  })

  it("that is closed ends the server with 0, without a word of it", async () => {
    await using stdio = await openStdio("modern")
    await stdio.ask(requestOf("modern", 1, "tools/list"))
    stdio.child.stdout.destroy()
    // The first answer that nobody reads tells the server.
    for (let id = 2; id < 50 && stdio.child.process.exitCode === null; id += 1) {
      await stdio.send(requestOf("modern", id, "tools/list"))
    }
    const { code, signal, stderr } = await stdio.child.ended
    expect({ code, signal }).toEqual({ code: 0, signal: null })
    expect(stderr).not.toMatch(/EPIPE|^ +at /m)
  })

  it("goes on where stderr is closed", async () => {
    await using stdio = await openStdio("modern")
    stdio.child.stderr.destroy()
    for (let id = 1; id < 10; id += 1) {
      await stdio.write("[]\n")
      const message = `text ${id}`
      const { result } = await stdio.ask(callOf("modern", id, "send_sms", { ...sms, message }))
      expect(result?.["isError"]).toBeUndefined()
    }
    stdio.child.stdin.end()
    expect(await stdio.child.ended).toMatchObject({ code: 0, signal: null })
  })
})

/** Answers after two seconds. */
const slow = { recipient: "+254700000901", message: "Slow" }

const isSent = { result: { structuredContent: { duplicate: false } } }

describe("a signal while a send is on its way", () => {
  it.each(eras)("lets its answer reach the client over stdio: %s", async (era) => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.awaitReceived(1)
    stdio.child.process.kill("SIGTERM")
    expect(await stdio.answer(1)).toMatchObject(isSent)
    expect(await stdio.child.ended).toMatchObject({ code: 0, signal: null })
    expect(await sandbox.accepted()).toHaveLength(1)
    expect(stdio.child.written.stderr).toContain('"outcome":"sent"')
  })

  it.each(eras)("lets its answer reach the client over HTTP: %s", async (era) => {
    await using sandbox = await openSandbox()
    await using http = await openHttp([], { env: sandbox.env })
    const session = era === "older" ? await openSession(http.url) : ""
    const call = callOver(http.url, era, 1, "send_sms", slow, { session })
    await sandbox.awaitReceived(1)
    http.child.process.kill("SIGTERM")
    expect(await messageOf(await call)).toMatchObject(isSent)
    expect(await http.child.ended).toMatchObject({ code: 0, signal: null })
    expect(await sandbox.accepted()).toHaveLength(1)
  })

  /** Until the server says that it stops. */
  const stopping = async ({ url }: RawHttp) => {
    for (let tries = 0; tries < 10_000; tries += 1) {
      const answer = await fetch(new URL("/healthz", url))
      await answer.text()
      if (answer.status === 503) return
    }
    throw new Error("the server does not stop")
  }

  it.each(eras)("refuses what comes after it over HTTP: %s", async (era) => {
    await using sandbox = await openSandbox()
    await using http = await openHttp([], { env: sandbox.env })
    const session = era === "older" ? await openSession(http.url) : ""
    const call = callOver(http.url, era, 1, "send_sms", slow, { session })
    await sandbox.awaitReceived(1)
    http.child.process.kill("SIGTERM")
    await stopping(http)
    const late = await callOver(http.url, era, 2, "send_sms", sms, { session })
    expect(late.status).toBe(503)
    await late.text()
    expect(await messageOf(await call)).toMatchObject(isSent)
    await http.child.ended
    expect(await sandbox.accepted()).toHaveLength(1)
  })

  it.each(eras)("refuses sends that come after it over stdio: %s", async (era) => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", slow))
    await sandbox.awaitReceived(1)
    stdio.child.process.kill("SIGTERM")
    // The signal overtakes no answer: at the latest the last of these calls is refused.
    let refusals = 0
    for (let id = 2; id < 200 && refusals === 0; id += 1) {
      const message = `late ${id}`
      const late = await stdio.ask(callOf(era, id, "send_sms", { ...sms, message }))
      if (late.result?.["isError"] !== true) continue
      refusals += 1
      expect(late.result).toMatchObject({
        _meta: { "messaging-topup/error": { code: "stopping" } }
      })
    }
    expect(refusals).toBe(1)
    expect(await stdio.answer(1)).toMatchObject(isSent)
    const { stderr } = await stdio.child.ended
    expect(stderr).toMatch(/"event":"send refused".*"code":"stopping"/)
  })

  it.each(["stdio", "http"])("a second one ends the server at once: %s", async (transport) => {
    await using sandbox = await openSandbox()
    await sandbox.setFault(Fault.NeverAnswer({ accept: true }))
    const args = transport === "http" ? ["--http", "--port", "0"] : []
    await using child = startServer(args, { env: sandbox.env })
    let call: Promise<unknown> = Promise.resolve()
    if (transport === "http") {
      const [, url = ""] = await child.until("stderr", /"url":"([^"]+)"/)
      call = callOver(url, "modern", 1, "send_sms", sms).catch(() => "gone")
    } else {
      child.stdin.write(`${JSON.stringify(callOf("modern", 1, "send_sms", sms))}\n`)
    }
    await sandbox.awaitReceived(1)
    child.process.kill("SIGTERM")
    // One signal of a kind can wait at a time: another is sent until one was the second.
    for (let tries = 0; tries < 100_000 && child.process.signalCode === null; tries += 1) {
      child.process.kill("SIGTERM")
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
    }
    expect(await child.ended).toMatchObject({ code: null, signal: "SIGTERM" })
    await call
  })
})

describe("the service in files", () => {
  it("is read from them, without the line break at the end", async () => {
    await using sandbox = await openSandbox(secret)
    const env = {
      MESSAGING_TOPUP_BASE_URL_FILE: file(`${sandbox.env["MESSAGING_TOPUP_BASE_URL"]}\n`),
      MESSAGING_TOPUP_TOKEN_FILE: file(`${secret}\r\n`),
      MESSAGING_TOPUP_TIMEOUT: "5 seconds"
    }
    await using stdio = await openStdio("modern", [], { env })
    expect(await stdio.ask(callOf("modern", 1, "send_sms", sms))).toMatchObject(isSent)
    expect(await sandbox.accepted()).toHaveLength(1)
  })
})

interface Setting {
  readonly name: string
  readonly value: string
  /** What the client sees of it. */
  readonly seen: (args: ReadonlyArray<string>, env: Variables) => Promise<unknown>
  readonly expected: unknown
}

/** The code of the error that a call is answered with, or the text of its answer. */
const sendWith =
  (...calls: ReadonlyArray<object>) =>
  async (args: ReadonlyArray<string>, env: Variables) => {
    await using stdio = await openStdio("modern", ["--sandbox", ...args], { env })
    let last: unknown
    for (const [index, call] of calls.entries()) {
      const { result } = await stdio.ask(callOf("modern", index, "send_sms", { ...sms, ...call }))
      const meta = result?.["_meta"] as Record<string, { readonly code: string }> | undefined
      const content = result?.["structuredContent"] as { readonly duplicate?: boolean } | undefined
      last = meta?.["messaging-topup/error"]?.code ?? content?.duplicate
    }
    return last
  }

const toolNames = async (args: ReadonlyArray<string>, env: Variables) => {
  await using stdio = await openStdio("modern", ["--sandbox", ...args], { env })
  const { result } = await stdio.ask(requestOf("modern", 1, "tools/list"))
  const tools = (result?.["tools"] ?? []) as ReadonlyArray<{ readonly name: string }>
  return tools.map(({ name }) => name)
}

const overHttp =
  (use: (http: RawHttp) => Promise<unknown>) =>
  async (args: ReadonlyArray<string>, env: Variables) => {
    await using http = await openHttp(["--sandbox", ...args], { env })
    return await use(http)
  }

const settings: ReadonlyArray<Setting> = [
  {
    name: "read-only",
    value: "",
    seen: async (args, env) => (await toolNames(args, env)).includes("send_sms"),
    expected: false
  },
  {
    name: "tools",
    value: "preview_sms,get_sms_status",
    seen: async (args, env) => (await toolNames(args, env)).toSorted(),
    expected: ["get_sms_status", "preview_sms"]
  },
  {
    name: "allow-recipients",
    value: "+49*",
    seen: sendWith({}),
    expected: "recipient_not_allowed"
  },
  {
    name: "max-segments",
    value: "1",
    seen: sendWith({ message: "x".repeat(161) }),
    expected: "too_many_segments"
  },
  {
    name: "max-sends-per-hour",
    value: "1",
    seen: sendWith({}, { message: "Another" }),
    expected: "hourly_cap_reached"
  },
  { name: "duplicate-window", value: "0 seconds", seen: sendWith({}, {}), expected: false },
  {
    name: "confirm",
    value: "require",
    seen: sendWith({}),
    expected: "confirmation_unavailable"
  },
  {
    name: "max-sessions",
    value: "1",
    seen: overHttp(async ({ url }) => {
      await openSession(url)
      return (await post(url, initializeOf(1))).status
    }),
    expected: 503
  },
  {
    name: "allowed-hosts",
    value: "a.example",
    seen: overHttp(async ({ url }) => (await post(url, initializeOf(1))).status),
    expected: 403
  },
  {
    name: "allowed-origins",
    value: "a.example",
    seen: overHttp(async ({ url }) => {
      const headers = { origin: "https://a.example" }
      return (await post(url, initializeOf(1), { headers })).status
    }),
    expected: 200
  },
  {
    name: "host",
    value: "localhost",
    seen: overHttp(async ({ url }) => new URL(url).hostname),
    expected: "localhost"
  }
]

/** What the same looks like where nothing is set. */
const unset: Readonly<Record<string, unknown>> = {
  "read-only": true,
  tools: [
    "get_airtime_status",
    "get_data_bundle_status",
    "get_sms_status",
    "list_data_bundles",
    "preview_sms",
    "send_sms"
  ],
  "allow-recipients": false,
  "max-segments": false,
  "max-sends-per-hour": false,
  "duplicate-window": true,
  confirm: false,
  "max-sessions": 200,
  "allowed-hosts": 200,
  "allowed-origins": 403,
  host: "127.0.0.1"
}

describe("an option", () => {
  it.each(settings)(
    "is the same as an argument and as a variable: $name",
    async ({ expected, name, seen, value }) => {
      const args = value === "" ? [`--${name}`] : [`--${name}`, value]
      expect(await seen(args, {})).toEqual(expected)
      expect(await seen([], { [variableOf(name)]: value === "" ? "TRUE" : value })).toEqual(
        expected
      )
      expect(await seen([], { [variableOf(name)]: "" })).toEqual(unset[name])
    }
  )

  it("that switches HTTP on can be a variable, and an argument counts before a variable", async () => {
    const env = { MESSAGING_TOPUP_MCP_HTTP: "1", MESSAGING_TOPUP_MCP_SANDBOX: "1" }
    using taken = await takenPort()
    const variables = { ...env, MESSAGING_TOPUP_MCP_PORT: String(taken.port) }
    expect(await run([], variables)).toMatchObject({ code: 1 })
    await using child = startServer(["--port", "0"], { env: variables })
    await child.until("stderr", /"event":"listening"/)
  })

  it("that holds keys asks callers for them: a file, or a variable", async () => {
    const key = `me:${secret}`
    const statuses = async ({ url }: RawHttp) => {
      const headers = { authorization: `Bearer ${secret}` }
      return [
        (await post(url, initializeOf(1))).status,
        (await post(url, initializeOf(1), { headers })).status
      ]
    }
    expect(await overHttp(statuses)(["--keys-file", file(key)], {})).toEqual([401, 200])
    expect(await overHttp(statuses)([], { MESSAGING_TOPUP_MCP_KEYS: key })).toEqual([401, 200])
    const variables = { MESSAGING_TOPUP_MCP_KEYS_FILE: file(key) }
    expect(await overHttp(statuses)([], variables)).toEqual([401, 200])
  })

  it("has the default that --help states", { timeout: 60_000 }, async () => {
    const { stdout } = await run(["--help"])
    for (const [name, fallback] of Object.entries({
      "max-segments": "10",
      "max-sends-per-hour": "100",
      "duplicate-window": "10 minutes",
      confirm: "auto",
      host: "127.0.0.1",
      port: "8808",
      "max-sessions": "100"
    })) {
      expect(stdout).toMatch(new RegExp(`--${name} [^-]*?\\(default: ${fallback}\\)`))
    }
    const segments = (count: number) => ({ message: "x".repeat(153 * count) })
    expect(await sendWith(segments(10))([], {})).toBe(false)
    expect(await sendWith(segments(11))([], {})).toBe("too_many_segments")
    const texts = Array.from({ length: 101 }, (_, index) => ({ message: String(index) }))
    expect(await sendWith(...texts.slice(1))([], {})).toBe(false)
    expect(await sendWith(...texts)([], {})).toBe("hourly_cap_reached")
    await using http = await openHttp()
    for (let session = 0; session < 100; session += 1) await openSession(http.url)
    expect((await post(http.url, initializeOf(1))).status).toBe(503)
  })
})
