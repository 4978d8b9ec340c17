import {
  groups,
  keysVariable,
  type Name,
  names as optionNames,
  options as definitions,
  variableOf
} from "@messaging-topup/mcp-server/src/Options.ts"
import type { Values } from "@messaging-topup/command"
import * as Record from "effect/Record"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folderOfFile } from "../harness/TemporaryFolder.ts"
import { type Environment, runInProcess, startInProcess } from "../harness/mcp/Server.ts"
import { jsonHeaders, openHttp, post, type RawHttp, requestText } from "../harness/mcp/RawHttp.ts"
import { callOf, initializeOf, openStdio, requestOf } from "../harness/mcp/RawStdio.ts"
import { anyRoute, approve, guarded } from "../harness/mcp/GuardedServer.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import type { Ended } from "../harness/Process.ts"
import { readingNames, toolNames } from "../harness/mcp/ToolNames.ts"

/** A secret or a value in a wrong place. It must never be repeated. */
const secret = "s3cret-value-0123456789-0123456789"

const service: Environment = {
  MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9/v1",
  MESSAGING_TOPUP_TOKEN: secret
}

const folder = folderOfFile()

let files = 0
const file = (content: string) => {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, content)
  return path
}

const expectRefused = ({ code, stderr, stdout }: Ended, names: string | ReadonlyArray<string>) => {
  expect({ code, stdout }).toMatchObject({ code: 2, stdout: "" })
  for (const name of [names].flat()) expect(stderr).toContain(name)
  expect(stderr).not.toContain(secret)
  expect(stderr).not.toMatch(/^ +at /m)
}

/** The name of an option, as an argument or as a variable. */
const both = (name: string) => `--${name} (${variableOf(name)})`

/** Runs the command with the option as an argument, or as a variable. */
const withOption = (
  how: string,
  name: string,
  value: string,
  args: ReadonlyArray<string>,
  env: Environment
) =>
  how === "argument"
    ? ([[...args, `--${name}=${value}`], env] as const)
    : ([args, { ...env, [variableOf(name)]: value }] as const)

type Switch = {
  [K in Name]: Values<typeof definitions>[K] extends boolean ? K : never
}[Name]

/** Options that take any text. */
type AnyText = "host" | "oauth-audience"

/** A new option does not compile without wrong values, and they do not pass if no code reads it. */
const wrongValues: Readonly<Record<Exclude<Name, AnyText | Switch>, ReadonlyArray<string>>> = {
  "allow-recipients": [
    secret,
    ",",
    "*x",
    "*,*",
    "  ,",
    "+2547*,*",
    "+2547*,abc",
    "+2547**",
    "+254\u0660*",
    "+",
    "+0*",
    "00",
    "+2547\t*",
    "+233240005008.0",
    "2.3324E+11",
    "+233,240,005,008",
    "+44 (0)20 7946 0000",
    "+233",
    "+254700000001/2"
  ],
  "max-segments": [secret, "0", "1.5", "256"],
  "max-batch": [secret, "0", "1001"],
  "max-sends-per-hour": [secret, "0", "9999999"],
  confirm: [secret, "AUTO"],
  cards: [secret, "on"],
  "webhook-url": [secret, "http://a.example/", "https://"],
  journal: ["sqlite:x", `mysql://user:${secret}@a.example`, "postgres"],
  "approval-key-file": ["/no/such/file"],
  port: [secret, "65536"],
  "public-url": [secret, "ftp://a.example", `https://user:${secret}@a.example`],
  "allowed-hosts": [`http://${secret}/`, ","],
  "oauth-issuer": [secret]
}

/** What an option needs beside it. */
const besides: Readonly<Partial<Record<Name, ReadonlyArray<string>>>> = {
  "oauth-issuer": ["--public-url=https://a.example/mcp"]
}

describe("a wrong setting ends the command with 2 and names itself", () => {
  // Every option by both of its names, every value once.
  const wrong = Record.toEntries(wrongValues).flatMap(([name, values]) =>
    (values.length > 1 ? values : [...values, ...values]).map(
      (value, index) => [name, value, index % 2 === 0 ? "argument" : "variable"] as const
    )
  )

  const http = { ...service, MESSAGING_TOPUP_MCP_HTTP: "true" }

  const refusedBy = (name: Name, value: string, how: string) =>
    runInProcess(...withOption(how, name, value, besides[name] ?? [], http))

  it.each(wrong)("--%s %s as %s", async (name, value, how) => {
    expectRefused(await refusedBy(name, value, how), both(name))
  })

  it("a value that is the name of an inherited property", async () => {
    const names = Record.keys(wrongValues).filter((each) => each !== "allowed-hosts")
    for (const [index, name] of names.entries()) {
      // A journal may have any name.
      if (name === "journal") continue
      const value = ["constructor", "__proto__", "toString"][index % 3] ?? ""
      expectRefused(
        await refusedBy(name, value, index % 2 === 0 ? "argument" : "variable"),
        both(name)
      )
    }
  })

  it.each(optionNames.filter((name) => definitions[name].kind === "switch"))(
    "a switch that is neither on nor off: %s",
    async (name) => {
      for (const value of [secret, "constructor"]) {
        expectRefused(await runInProcess([], { ...service, [variableOf(name)]: value }), both(name))
      }
    }
  )

  const overHttp = Object.keys(groups["Over HTTP"]).filter((name) => name !== "http")

  it.each(overHttp)("an option of HTTP without --http: %s", async (name) => {
    for (const [how, env] of [
      ["argument", {}],
      ["variable", { MESSAGING_TOPUP_MCP_HTTP: "false" }]
    ] as const) {
      const given = withOption(how, name, "1", ["--sandbox"], env)
      expectRefused(
        await runInProcess(...given),
        `--${name} (${variableOf(name)}): it needs --http`
      )
    }
  })

  it("but not if its variable is empty, as hosts leave it when they fill in a template", async () => {
    const empty = Object.fromEntries(
      [...overHttp.map(variableOf), keysVariable].map((each) => [each, ""])
    )
    expect(await runInProcess(["--sandbox"], empty)).toMatchObject({ code: 0, stderr: "" })
  })

  it("bearer keys without --http", async () => {
    const ended = await runInProcess(["--sandbox"], { [keysVariable]: `me:${secret}` })
    expectRefused(ended, `${keysVariable}: it needs --http`)
  })

  const inFile = `${keysVariable}_FILE`
  const journal = "MESSAGING_TOPUP_JOURNAL_FILE"
  type Case = readonly [string, ReadonlyArray<string>, Environment, string]
  const inFiles: ReadonlyArray<Case> = [
    ["keys without --http", [], { [inFile]: file(`me:${secret}`) }, `${inFile}: `],
    [
      "a wrong line of the keys",
      ["--http", "--port=0"],
      { [inFile]: file("# 1\nme:short") },
      `${inFile}: line 2: `
    ],
    [
      "a wrong path of the journal",
      [],
      { MESSAGING_TOPUP_JOURNAL: undefined, [journal]: file("~/a.sqlite") },
      `(${journal}): `
    ],
    [
      "a file as PostgreSQL",
      ["--journal=postgres"],
      { MESSAGING_TOPUP_JOURNAL: undefined, [journal]: file("a.sqlite") },
      `(${journal}): `
    ],
    ...["BASE_URL", "TOKEN"].flatMap((name) => {
      const variable = `MESSAGING_TOPUP_${name}`
      return ["s3cret value", "${s3cret-value}"].map((text): Case => [
        `${variable}: ${text}`,
        [],
        { [variable]: "", [`${variable}_FILE`]: file(text) },
        `${variable}_FILE: `
      ])
    })
  ]

  it.each(inFiles)(
    "what a file has, by the variable that names the file: %s",
    async (_, args, env, named) => {
      const ended = await runInProcess(args, { ...service, ...env })
      expectRefused(ended, named)
      expect(ended.stderr).not.toContain("s3cret")
    }
  )

  const text = `name:${secret}`
  const url = "MESSAGING_TOPUP_BASE_URL"
  const token = "MESSAGING_TOPUP_TOKEN"
  const keys = { [keysVariable]: text }
  const noKey = { [keysVariable]: "me:s3cret-value" }
  const toFile = { [url]: "https://a.example" }
  const public_ = ["--sandbox", "--http", "--port=0", "--host=0.0.0.0"]
  const web = ["--sandbox", "--http", "--port=0"]
  const approval = `--approval-key-file=${file("short")}`

  // ClientSettings.test.ts has what an address, a token and a time-out may be.
  const cases: ReadonlyArray<Case> = [
    ["no service at all", [], {}, url],
    ["an invalid time-out", [], { ...service, MESSAGING_TOPUP_TIMEOUT: secret }, "_TIMEOUT"],
    ["a token and a file for it", [], { ...service, [`${token}_FILE`]: file(secret) }, token],
    ["no file for the token", [], { ...toFile, [`${token}_FILE`]: "/no/such/file" }, token],
    [
      "an empty file for the token",
      [],
      { ...toFile, [`${token}_FILE`]: file("\n") },
      `${token}_FILE`
    ],
    ["a token that a host did not fill in", [], { ...service, [token]: "${s3cret-value}" }, token],
    ["one of OpenCode", [], { ...service, [token]: "{env:s3cret-value}" }, token],
    ["the token of the documents", [], { ...service, [token]: "your-access-token" }, token],
    [
      "an inherited name",
      ["--sandbox"],
      { MESSAGING_TOPUP_MCP_CONSTRUCTOR: secret },
      "CONSTRUCTOR"
    ],
    ["nobody asked without an allow-list", ["--confirm=off"], service, both("confirm")],
    ["a short approval key", ["--sandbox", approval], {}, both("approval-key-file")],
    ["a public address without authentication", public_, {}, `${keysVariable}_FILE`],
    [
      "an address behind a proxy without authentication",
      [...web, "--public-url=https://sms.example.com/mcp"],
      {},
      both("public-url")
    ],
    [
      "a name behind a proxy without authentication",
      [...web, "--allowed-hosts=127.0.0.1,sms.example.com"],
      {},
      both("allowed-hosts")
    ],
    ["a public address without its names", public_, keys, both("allowed-hosts")],
    ["keys and a file", web, { ...keys, [`${keysVariable}_FILE`]: file(text) }, keysVariable],
    ["no file of keys", web, { [`${keysVariable}_FILE`]: "/no/such/file" }, keysVariable],
    ["a key that is too short", web, noKey, keysVariable],
    ["no keys", web, { [`${keysVariable}_FILE`]: file("# s3cret-value") }, keysVariable],
    ["no public URL", [...web, "--oauth-issuer=https://a.example"], {}, both("public-url")],
    ["no issuer", [...web, "--oauth-audience=a"], {}, both("oauth-issuer")]
  ]

  it.each([
    ["oauth-issuer", "login.example.com/shown"],
    ["oauth-issuer", "http://login.example.com/shown"],
    ["oauth-issuer", "https://shown:secret@login.example.com"],
    ["oauth-issuer", "https://login.example.com/?shown"],
    ["oauth-issuer", "https://login.example.com/#shown"],
    ["oauth-audience", " "],
    ["public-url", "http://mcp.example.com/shown"],
    ["public-url", "https://mcp.example.com/mcp?shown"],
    ["public-url", "shown"]
  ])("an OAuth setting that is unsafe: --%s=%s", async (name, value) => {
    const safe = { "oauth-issuer": "https://a.example", "public-url": "https://a.example/mcp" }
    const args = Object.entries({ ...safe, [name]: value }).map(([key, each]) => `--${key}=${each}`)
    const ended = await runInProcess(["--sandbox", "--http", "--port=0", ...args])
    expectRefused(ended, both(name))
    expect(ended.stderr).not.toContain("shown")
  })

  it.each(cases)("%s", async (_, args, env, name) => {
    const ended = await runInProcess(args, env)
    expectRefused(ended, name)
    expect(ended.stderr).not.toContain("s3cret-value")
  })

  it.each([
    ["--token", secret],
    [`--token=${secret}`],
    [secret],
    [`--sandbox=${secret}`],
    ["--no-sandbox"],
    ["--port"],
    ["--constructor"],
    [`--__proto__=${secret}`],
    ["-x", secret]
  ])("arguments that are not understood, which are not repeated: %s %s", async (...args) => {
    const given = args.filter((arg) => arg !== undefined)
    const ended = await runInProcess(given, service)
    expectRefused(ended, "--help")
    expect(ended.stderr).not.toContain("did you mean")
  })

  it.each([
    ["--max-segment=3", "--max-segments"],
    ["--readonly", "--read-only"],
    [`--allow-recipient=${secret}`, "--allow-recipients"],
    ["--sandboxx", "--sandbox"]
  ])("a flag that is mistyped, which is named with the nearest: %s", async (given, nearest) => {
    const problem = `${given.split("=")[0]}: there is no such option; did you mean ${nearest}?`
    expectRefused(await runInProcess([given, secret], service), problem)
  })

  it("an argument that could be a secret, which is not named", async () => {
    const long = `--${"secret-value".repeat(4)}`
    const secrets = [`--${secret}`, "--s3cret-value", "--Secret-Value", "--secret_value", long]
    for (const given of [...secrets, "-secret-value", "secret-value"]) {
      for (const args of [[given], ["--", given], ["--sandbox", given]]) {
        const ended = await runInProcess(args, service)
        expectRefused(ended, "The arguments are not understood")
        expect(ended.stderr).not.toMatch(/s.cret.value/i)
      }
    }
  })

  it.each(["MESSAGING_TOPUP", "MESSAGING_TOPUP_MCP"])(
    "but no variable that a cluster sets for a service of this name: %s",
    async (name) => {
      const ended = await runInProcess(["--sandbox"], {
        [`${name}_PORT`]: "tcp://10.0.0.11:8808",
        [`${name}_SERVICE_HOST`]: "10.0.0.11",
        [`${name}_SERVICE_PORT`]: "8808",
        [`${name}_SERVICE_PORT_HTTP`]: "8808",
        [`${name}_PORT_8808_TCP`]: "tcp://10.0.0.11:8808",
        [`${name}_PORT_8808_TCP_PROTO`]: "tcp",
        MESSAGING_TOPUP_READ_ONLY: ""
      })
      expect(ended).toMatchObject({ code: 0, stderr: "" })
    }
  )

  it("a mistyped variable, with the most similar one as a suggestion", async () => {
    const ended = await runInProcess(["--sandbox"], {
      MESSAGING_TOPUP_MCP_MAX_SEGMENT: secret,
      MESSAGING_TOPUP_MCP_BEARER_KEY: secret,
      MESSAGING_TOPUP_MCP_ZZZZZZZZZZZZ: secret
    })
    expectRefused(ended, [
      "MESSAGING_TOPUP_MCP_MAX_SEGMENT: there is no such variable; did you mean MESSAGING_TOPUP_MCP_MAX_SEGMENTS?",
      "MESSAGING_TOPUP_MCP_BEARER_KEY: there is no such variable; did you mean MESSAGING_TOPUP_MCP_BEARER_KEYS?",
      "MESSAGING_TOPUP_MCP_ZZZZZZZZZZZZ: there is no such variable\n"
    ])
    // They would set nothing.
    for (const [name, meant] of [
      ["MESSAGING_TOPUP_READ_ONLY", "MESSAGING_TOPUP_MCP_READ_ONLY"],
      ["MESSAGING_TOPUP_MCP_JOURNAL", "MESSAGING_TOPUP_JOURNAL"]
    ] as const) {
      expectRefused(
        await runInProcess(["--sandbox"], { [name]: secret }),
        `${name}: there is no such variable; did you mean ${meant}?`
      )
    }
  })
})

describe("every setting of the service that core reads", () => {
  const readme = readFileSync("packages/core/README.md", "utf8")
  const settings = [...readme.matchAll(/^\| `\w+` \| `(MESSAGING_TOPUP_\w+)` \|/gm)]

  it.each(settings.map(([, variable = ""]) => variable))(
    "is one of the server's: %s",
    async (name) => {
      const wrong = { ...service, [name]: "s3cret value" }
      expectRefused(await runInProcess([], wrong), `${name}: `)
      // As hosts leave it when they fill in a template.
      if (service[name] === undefined) {
        expect(await runInProcess([], { ...service, [name]: "" })).toMatchObject({ code: 0 })
      }
    }
  )

  it("so that what the refusal of an address advises helps", async () => {
    const trusted = { ...service, MESSAGING_TOPUP_BASE_URL: "http://service.test" }
    const { stderr } = await runInProcess([], trusted)
    const [, advised = ""] = /; set (\w+) only where the network is trusted/.exec(stderr) ?? []
    expect(await runInProcess([], { ...trusted, [advised]: "true" })).toMatchObject({ code: 0 })
  })
})

const sms = { recipient: "+491700000001", message: "Hello" }

describe("the service in files", () => {
  it("is read from them, without the line break at the end", async () => {
    await using sandbox = await openSandbox(secret)
    const env = {
      MESSAGING_TOPUP_BASE_URL_FILE: file(`${sandbox.env["MESSAGING_TOPUP_BASE_URL"]}\n`),
      MESSAGING_TOPUP_TOKEN_FILE: file(`${secret}\r\n`),
      MESSAGING_TOPUP_TIMEOUT: "5 seconds"
    }
    await using stdio = await openStdio("modern", ["--allow-recipients=*"], { env })
    expect(await stdio.ask(callOf("modern", 1, "send_sms", sms))).toMatchObject({
      result: { structuredContent: { sent_by_this_call: true } }
    })
    expect(await sandbox.messages()).toHaveLength(1)
    const wrong = { "+15550000401": "TOKEN_FILE", "+15550000404": "BASE_URL_FILE" }
    for (const [recipient, name] of Object.entries(wrong)) {
      const { result } = await stdio.ask(
        callOf("modern", recipient, "send_sms", { ...sms, recipient })
      )
      const variable = `MESSAGING_TOPUP_${name}`
      const next: unknown = expect.stringContaining(`has to check ${variable}`)
      expect(result).toMatchObject({ structuredContent: { variable, next } })
    }
  })
})

/** Returns the status of an `initialize` with another Host header. */
const statusUnder = async (http: RawHttp, host: string) => {
  const body = JSON.stringify(initializeOf(1))
  const head = { ...jsonHeaders, host, "content-length": `${body.length}` }
  const response = await http.exchange(requestText("POST", "/mcp", head, body))
  return Number(response.split(" ")[1])
}

// Above, each is refused by both of its names. What it does is in the tests of its promise.
describe("an option", () => {
  it("is the same as an argument and as a variable, and absent if that is empty", async () => {
    const offered = async (args: ReadonlyArray<string>, value?: string) => {
      const env = value === undefined ? {} : { MESSAGING_TOPUP_MCP_READ_ONLY: value }
      await using stdio = await openStdio("modern", ["--sandbox", ...args], { env })
      const { result } = await stdio.ask(requestOf("modern", "list", "tools/list"))
      return result?.["tools"]
    }
    for (const tools of [await offered(["--read-only"]), await offered([], "TRUE")]) {
      expect(tools).toMatchObject(readingNames.map((name) => ({ name })))
    }
    expect(await offered([], "")).toMatchObject(toolNames.map((name) => ({ name })))
  })

  it("--allowed-hosts is instead of the host", async () => {
    await using http = await openHttp(
      ["--sandbox", "--host=localhost", "--allowed-hosts=a.example"],
      { env: { [keysVariable]: `me:${"k".repeat(40)}` } }
    )
    expect(new URL(http.url).hostname).toBe("localhost")
    expect(await statusUnder(http, new URL(http.url).host)).toBe(403)
    // It has no key.
    expect(await statusUnder(http, "a.example")).toBe(401)
  })

  it("--webhook-url is in every SMS, and in no question", async () => {
    await using server = await guarded(anyRoute, ["--webhook-url", "https://a.example/hook"], {
      person: () => approve
    })
    await server.send(sms)
    await server.call("send_sms_batch", { message: "All", recipients: ["+1", "+2"] })
    for (const each of await server.upstream.messages()) {
      expect(each).toMatchObject({ webhook_url: "https://a.example/hook" })
    }
    expect(await server.sent()).toBe(3)
    expect(server.questions.join()).not.toContain("a.example")
  })

  it("--http can be a variable, and an argument takes precedence over a variable", async () => {
    const env = {
      MESSAGING_TOPUP_MCP_HTTP: "1",
      MESSAGING_TOPUP_MCP_SANDBOX: "1",
      MESSAGING_TOPUP_MCP_PORT: "65536"
    }
    expectRefused(await runInProcess([], env), both("port"))
    await using child = startInProcess(["--port", "0"], { env })
    await child.until("stderr", /"event":"listening"/)
  })

  // Other systems have one loopback address by default.
  it.runIf(process.platform === "linux")(
    "--host also sets the allowed host name: 127.0.0.2",
    async () => {
      await using http = await openHttp(["--sandbox", "--host", "127.0.0.2"])
      const { host, hostname } = new URL(http.url)
      expect(hostname).toBe("127.0.0.2")
      expect(await statusUnder(http, host)).toBe(200)
      expect(await statusUnder(http, "127.0.0.3")).toBe(403)
    }
  )

  it("with bearer keys, from a file or a variable, makes callers authenticate", async () => {
    const key = `me:${secret}`
    const statuses = async (env: Environment) => {
      await using http = await openHttp(["--sandbox"], { env })
      const headers = { authorization: `Bearer ${secret}` }
      return [
        (await post(http.url, initializeOf(1))).status,
        (await post(http.url, initializeOf(1), { headers })).status
      ]
    }
    expect(await statuses({ MESSAGING_TOPUP_MCP_BEARER_KEYS: key })).toEqual([401, 200])
    const variables = { MESSAGING_TOPUP_MCP_BEARER_KEYS_FILE: file(key) }
    expect(await statuses(variables)).toEqual([401, 200])
  })
})
