import { variables } from "@messaging-topup/mcp-server/src/Options.ts"
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import * as Record from "effect/Record"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import manifest from "../../packages/mcp-server/package.json" with { type: "json" }
import { connect, decline, guarded } from "../harness/mcp/GuardedServer.ts"
import {
  blocksOf,
  entriesOf,
  filledIn,
  isStdio,
  type StdioEntry
} from "../harness/mcp/HostBlocks.ts"
import {
  runInProcess,
  type RunningServer,
  startInProcess,
  StreamTransport
} from "../harness/mcp/Server.ts"

const documents = ["README.md", ...globSync("docs/**/*.md"), ...globSync("packages/*/README.md")]

const blocks = documents.flatMap(blocksOf)

const inHosts = blocks.filter(({ document }) => document === "docs/hosts.md")

const configured = blocks.flatMap((block) =>
  entriesOf(block).map((entry) => ({ block, entry, name: `${block.document}, ${block.section}` }))
)

const stdio = configured.flatMap(({ block, entry, name }) =>
  isStdio(entry) ? [{ block, entry, name }] : []
)

const http = configured.flatMap(({ entry, name }) => (isStdio(entry) ? [] : [{ entry, name }]))

const token = "the-token-of-the-host"
const key = "0123456789abcdef0123456789abcdef"

/** The values that a host has in its environment, or that a person typed. */
const known = {
  MESSAGING_TOPUP_TOKEN: token,
  SMS_MCP_KEY: key,
  token
}

/** Returns the variables that the server receives. */
const environmentOf = ({ env, passedOn }: StdioEntry) =>
  filledIn(
    {
      ...Object.fromEntries(passedOn.map((name) => [name, `\${${name}}`])),
      ...env
    },
    known
  )

/** The way of the documents to start the server: nobody else can publish under this name. */
const start = join("<clone>/packages/mcp-server", manifest.publishConfig.bin["messaging-topup-mcp"])

const serverArguments = ({ args: [file, ...args], command }: StdioEntry): ReadonlyArray<string> => {
  expect({ command, file }).toEqual({ command: "node", file: start })
  return args
}

const mapValues = Record.map

const toolsOf = async (transport: Transport) => {
  await using connection = await connect("modern", transport)
  return (await connection.client.listTools()).tools.map(({ name }) => name)
}

it.each(stdio)("the configuration in $name starts the server", async ({ entry }) => {
  const given = environmentOf(entry)
  const env = mapValues(given, (value) => (value === "your-access-token" ? token : value))
  await using server = startInProcess(serverArguments(entry), { env })
  expect(await toolsOf(new StreamTransport(server))).toContain("preview_sms")
  // With the sandbox, the server needs no settings.
  if (entry.args.includes("--sandbox")) return
  expect(env).toEqual({
    MESSAGING_TOPUP_BASE_URL: "https://api.example.com",
    MESSAGING_TOPUP_TOKEN: token,
    MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "+15550100123, +1555010*"
  })
})

it("the arguments for a host without a person send to the numbers of the list, and to no other", async () => {
  const page = readFileSync("docs/hosts.md", "utf8")
  const [, added = ""] = /add `(.*)` to `args`/.exec(page) ?? []
  const args: ReadonlyArray<string> = JSON.parse(`[${added}]`)
  const first = stdio.find(({ block }) => block.section === "The block")
  const environment = {
    MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS:
      first?.entry.env["MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS"] ?? ""
  }
  // As such a host does: it declines without showing the question.
  const route = { era: "legacy", over: "stdio" } as const
  const settings = { environment, person: () => decline, reads: "0 seconds" } as const
  await using server = await guarded(route, args, settings)
  const message = "Your table is ready."
  const sent = await server.send({ recipient: "+15550100123", message })
  expect(sent).toMatchObject({ isError: false, structured: { approved_by: "none" } })
  const other = await server.send({ recipient: "+254700000001", message })
  expect(other.error).toMatchObject({ code: "recipient_not_allowed" })
  const again = await server.send({ recipient: "+15550100123", message, again: true })
  expect(again.error).toMatchObject({ code: "confirmation_unasked" })
  expect(await server.sent()).toBe(1)
  await using without = await guarded(route, [], settings)
  const refused = await without.send({ recipient: "+15550100123", message })
  expect(refused.error).toMatchObject({ code: "confirmation_unasked" })
  // Without the list, it does not start.
  expect(await runInProcess(args, without.upstream.env)).toMatchObject({ code: 2 })
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
    const { Authorization = "" } = filledIn(headers, known)
    const authorization = Authorization.replace("your-bearer-key", key)
    const requestInit = { headers: { authorization } }
    const transport = new StreamableHTTPClientTransport(new URL(await server.url()), {
      requestInit
    })
    expect(await toolsOf(transport)).toContain("preview_sms")
  })
})

it("a configuration that asks a person hides what they type", () => {
  const asking = inHosts.filter(({ text }) => text.includes("${input:"))
  expect(asking).toHaveLength(1)
  for (const { text } of asking) {
    const [, id = ""] = /\$\{input:(\w+)\}/.exec(text) ?? []
    expect(JSON.parse(text)).toMatchObject({ inputs: [{ id, password: true }] })
  }
})

const commands = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => [
    ...text.matchAll(/^[^#\n]*?node <clone>\/packages\/mcp-server\/dist\/main\.cjs([^#\n]*)/gm)
  ])
  .map(([, args = ""]) => args.trim())

it.each(commands)("the server understands the command of the documents with %j", async (text) => {
  const words = [...text.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const args = words.map((word) => word.replace("8808", "0").replace("<id>", "1"))
  const { code, stderr } = await runInProcess(args, {
    MESSAGING_TOPUP_BASE_URL: "https://api.example.com",
    MESSAGING_TOPUP_TOKEN: token
  })
  // 2 is for arguments and settings that are wrong.
  expect(code, stderr).not.toBe(2)
})

it.each(documents)("%s names variables that exist", (document) => {
  const named = readFileSync(document, "utf8").match(/\bMESSAGING_TOPUP_MCP_\w+/g) ?? []
  expect(variables).toEqual(expect.arrayContaining(named))
})
