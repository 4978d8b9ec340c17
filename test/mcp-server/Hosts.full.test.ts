import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { globSync } from "node:fs"
import { execPath } from "node:process"
import { parseEnv } from "node:util"
import { serverFile } from "../support/ServerFile.ts"
import {
  allFilledIn,
  type Block,
  blocksOf,
  entriesOf,
  filledIn,
  isStdio,
  type References,
  type StdioEntry
} from "./support/HostBlocks.ts"
import { startInProcess } from "./support/InProcessServer.ts"
import type { RunningServer } from "./support/RunningServer.ts"
import {
  type Call,
  packageName,
  recordingStubs,
  runningStubs,
  type StubPrograms
} from "./support/StubPrograms.ts"

const hostsDocument = "docs/hosts.md"
const documents = ["README.md", ...globSync("docs/**/*.md"), ...globSync("packages/*/README.md")]

const token = "the-token-of-the-host"
const key = "0123456789abcdef0123456789abcdef"

/** The values that a host has in its environment, or that a person typed. */
const known: References = {
  MESSAGING_TOPUP_TOKEN: token,
  SMS_MCP_KEY: key,
  token,
  key,
  workspaceFolder: "/workspace"
}

const blocks = documents.flatMap(blocksOf)

const configured = documents.flatMap((document) =>
  blocksOf(document)
    .flatMap((block) => entriesOf(block).map((entry) => ({ block, entry })))
    .map((each, index) => ({ ...each, name: `${document} (${index + 1}) ${each.block.section}` }))
)

const stdio = configured.flatMap(({ block, entry, name }) =>
  isStdio(entry) ? [{ block, entry, name }] : []
)

const http = configured.flatMap(({ entry, name }) => (isStdio(entry) ? [] : [{ entry, name }]))

const ofFile = (section: string): ReadonlyArray<readonly [string, string]> => {
  const file = blocks.find((block) => block.section === section && block.language === "dotenv")
  return Object.entries(parseEnv(file?.text ?? "")).map(([name, value]) => [name, value ?? ""])
}

/** Returns the variables that the server receives. */
const environmentOf = (
  { env, envFile, passedOn }: StdioEntry,
  { section }: Block
): Record<string, string> => ({
  ...Object.fromEntries(envFile === undefined ? [] : ofFile(section)),
  ...Object.fromEntries(passedOn.map((name) => [name, filledIn(`\${${name}}`, known)])),
  ...allFilledIn(env, known)
})

const toolsOf = async (
  transport: StdioClientTransport | StreamableHTTPClientTransport
): Promise<ReadonlyArray<string>> => {
  const client = new Client({ name: "test", version: "1" })
  try {
    await client.connect(transport)
    return (await client.listTools()).tools.map(({ name }) => name)
  } finally {
    await client.close()
  }
}

const withHeaders = (url: string, headers: Readonly<Record<string, string>>) =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } })

let stubs: StubPrograms

beforeAll(() => {
  stubs = runningStubs()
})

afterAll(() => stubs[Symbol.dispose]())

/** Replaces the paths of a document by those of this machine. */
const here = (text: string): string =>
  text
    .replace("/path/to/node/bin", stubs.folder)
    .replace("/path/to/clone/packages/mcp-server/dist/main.cjs", serverFile)

const started = ({ args, command }: StdioEntry, env: Readonly<Record<string, string>>) =>
  new StdioClientTransport({
    command: command === "node" ? execPath : here(command),
    args: args.map(here),
    env: {
      MESSAGING_TOPUP_MCP_STATE: "memory",
      ...env,
      PATH: here(env["PATH"] ?? stubs.path)
    },
    stderr: "ignore"
  })

it("the documents start the server in every way that they describe", () => {
  expect(new Set(stdio.map(({ entry }) => entry.command))).toEqual(
    new Set(["npx", "cmd", "node", "/path/to/node/bin/npx"])
  )
  expect(http.length).toBeGreaterThan(8)
})

it.each(stdio)("the configuration in $name starts the server", async ({ block, entry }) => {
  expect(await toolsOf(started(entry, environmentOf(entry, block)))).toContain("preview_sms")
})

// With the sandbox, the server needs no settings.
it.each(stdio.filter(({ entry }) => !entry.args.includes("--sandbox")))(
  "the configuration in $name sets the same variables as all others",
  ({ block, entry }) => {
    const { PATH: _, ...env } = { PATH: "", ...environmentOf(entry, block) }
    expect(env).toEqual({
      MESSAGING_TOPUP_BASE_URL: "https://api.example.com",
      MESSAGING_TOPUP_TOKEN: expect.stringMatching(`^(${token}|your-access-token)$`),
      MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "+15550100123, +1555010*"
    })
  }
)

it("a configuration that asks a person hides what they type", () => {
  const asking = blocks.filter(({ text }) => text.includes("${input:"))
  expect(asking).toHaveLength(2)
  for (const { text } of asking) {
    const [, id = ""] = /\$\{input:(\w+)\}/.exec(text) ?? []
    expect(JSON.parse(text)).toMatchObject({ inputs: [{ id, password: true }] })
  }
})

describe("over HTTP", () => {
  let server: RunningServer

  beforeAll(() => {
    server = startInProcess(["--sandbox", "--http", "--port", "0"], {
      env: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `host:${key}` }
    })
  })

  afterAll(() => server[Symbol.asyncDispose]())

  it.each(http)("the configuration in $name is accepted", async ({ entry: { headers, url } }) => {
    expect(url).toBe("http://127.0.0.1:8808/mcp")
    const filled = allFilledIn(headers, known)
    const given = Object.entries(filled).map(([name, value]) => [
      name,
      value.replace("your-bearer-key", key)
    ])
    const tools = await toolsOf(withHeaders(await server.url(), Object.fromEntries(given)))
    expect(tools).toContain("preview_sms")
  })

  it("no caller is accepted without the key", async () => {
    await expect(toolsOf(withHeaders(await server.url(), {}))).rejects.toThrow(
      /Missing Authorization/
    )
  })
})

describe("a command", () => {
  const scripts = blocks.filter(
    ({ document, language }) => document === hostsDocument && language === "sh"
  )

  const callsOf = (section: string): ReadonlyArray<Call> => {
    using recording = recordingStubs()
    const script = scripts.filter((block) => block.section === section).map(({ text }) => text)
    execFileSync("sh", ["-eu", "-c", script.join("\n")], {
      env: {
        PATH: recording.path,
        MESSAGING_TOPUP_BASE_URL: "https://api.example.com",
        MESSAGING_TOPUP_TOKEN: token
      }
    })
    return recording.calls()
  }

  const only = (section: string): Call => {
    const [call, ...others] = callsOf(section)
    if (call === undefined || others.length > 0) throw new Error(`not one call in ${section}`)
    return call
  }

  /** The arguments after `npx -y` and the package. */
  const argumentsOf = ({ args, program }: Call): ReadonlyArray<string> => {
    expect([program, ...args.slice(0, 2)]).toEqual(["npx", "-y", packageName])
    return args.slice(2)
  }

  it("is run by a test below, or by a test of the Inspector", () => {
    expect(new Set(scripts.map(({ section }) => section))).toEqual(
      new Set(["Claude Code", "Over HTTP", "Troubleshooting", "In the Inspector"])
    )
  })

  it.each(["Claude Code", "Over HTTP", "Troubleshooting", "In the Inspector"])(
    "of %s gives no secret as an argument",
    (section) => {
      for (const { args, env } of callsOf(section)) {
        expect(args.join(" ")).not.toContain(token)
        if (env["SMS_MCP_KEY"] !== undefined)
          expect(args.join(" ")).not.toContain(env["SMS_MCP_KEY"])
      }
    }
  )

  it("of Claude Code writes the configuration of its block", () => {
    const { args, program } = only("Claude Code")
    const [json = ""] = args.slice(-1)
    expect([program, ...args.slice(0, -1)]).toEqual([
      "claude",
      "mcp",
      "add-json",
      "--scope",
      "project",
      "messaging-topup"
    ])
    const block = blocks.find(
      ({ language, section }) => section === "Claude Code" && language === "json"
    )
    expect({ mcpServers: { "messaging-topup": JSON.parse(json) } }).toEqual(
      JSON.parse(block?.text ?? "")
    )
  })

  it("for HTTP starts a server that accepts its own key", async () => {
    const call = only("Over HTTP")
    const { MESSAGING_TOPUP_MCP_BEARER_KEYS: keys = "", SMS_MCP_KEY: own = "" } = call.env
    const args = argumentsOf(call)
    expect(args).toContain("8808")
    await using server = startInProcess(
      args.map((arg) => (arg === "8808" ? "0" : arg)),
      {
        env: {
          MESSAGING_TOPUP_BASE_URL: call.env["MESSAGING_TOPUP_BASE_URL"] ?? "",
          MESSAGING_TOPUP_TOKEN: call.env["MESSAGING_TOPUP_TOKEN"] ?? "",
          MESSAGING_TOPUP_MCP_BEARER_KEYS: keys
        }
      }
    )
    const tools = await toolsOf(withHeaders(await server.url(), { Authorization: `Bearer ${own}` }))
    expect(tools).toContain("preview_sms")
  })

  it("for the first start prints and exits", async () => {
    await using server = startInProcess(argumentsOf(only("Troubleshooting")))
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
  })
})
