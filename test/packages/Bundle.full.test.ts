import { licensesFile } from "@messaging-topup/command/bundle/ProgramBundle.ts"
import { bundle } from "@messaging-topup/mcp-server/bundle/Bundle.ts"
import { uri } from "@messaging-topup/mcp-server/src/card/Card.ts"
import { page } from "@messaging-topup/mcp-server/src/card/CardPage.ts"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, expect, it, vi } from "vitest"
import { folderOfFile } from "../harness/TemporaryFolder.ts"
import { authorizationServer } from "../harness/mcp/AuthorizationServer.ts"
import { connectCards } from "../harness/mcp/CardClient.ts"
import { connect } from "../harness/mcp/GuardedServer.ts"
import { callOver } from "../harness/mcp/RawHttp.ts"
import { cleanEnvironment, type Environment, startProcess } from "../harness/mcp/Server.ts"
import { hostileMessages } from "../harness/mcp/Hostile.ts"
import { expectServingStdio } from "../harness/mcp/RandomMessages.ts"
import { eras, openStdio, openStdioProcess, type RawStdio } from "../harness/mcp/RawStdio.ts"

const folder = folderOfFile()
const dist = join(folder, "dist")
const bundled = join(dist, "main.cjs")

let chunks: Awaited<ReturnType<typeof bundle>> = []

beforeAll(async () => {
  chunks = await bundle(dist)
})

const stdio = (file: string, args: ReadonlyArray<string>, environment: Environment = {}) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [file, ...args],
    env: cleanEnvironment(environment),
    stderr: "ignore"
  })

const sms = { message: "Your code is 4711" }

/** The modules whose code is in the files of the bundle. */
const bundledModules = () =>
  chunks
    .flatMap(({ modules }) => Object.entries(modules))
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => id)

const loadedAtStart = ["main.cjs", "runtime.cjs", "server.cjs"]
const loadedLater = [
  "card.cjs",
  "client.cjs",
  "http.cjs",
  "jose.cjs",
  "journal.cjs",
  "otel.cjs",
  "postgres.cjs",
  "sandbox.cjs",
  "undici.cjs"
]
const programs = [...loadedAtStart, ...loadedLater]

it("the bundle has these files, and imports only them and Node", () => {
  expect(readdirSync(dist).toSorted()).toEqual([licensesFile, ...programs].toSorted())
  const known = new Set([
    ...builtinModules.map((name) => `node:${name}`),
    "node:sqlite",
    ...programs.map((name) => `./${name}`)
  ])
  const imports = programs.flatMap((name) =>
    [
      ...readFileSync(join(dist, name), "utf8").matchAll(/\b(?:require|import)\(["'`](.+?)["'`]\)/g)
    ].map(([, path = ""]) => path)
  )
  expect(imports).toEqual(
    expect.arrayContaining(["./server.cjs", ...loadedLater.map((name) => `./${name}`)])
  )
  expect(imports.filter((path) => !known.has(path))).toEqual([])
})

it("the bundle has no module twice, and no path of the machine that built it", () => {
  const modules = bundledModules()
  expect(modules.filter((id, index) => modules.indexOf(id) !== index)).toEqual([])
  const root = fileURLToPath(new URL("../../", import.meta.url))
  const withPath = programs.filter((name) => readFileSync(join(dist, name), "utf8").includes(root))
  expect(withPath).toEqual([])
})

it("the bundle has neither Ajv nor an index module of Effect", () => {
  const inputs = bundledModules()
  expect(inputs.length).toBeGreaterThan(100)
  expect(inputs.filter((path) => /ajv|json-schema-traverse|fast-uri/i.test(path))).toEqual([])
  const barrel = /\/effect\/dist\/index\.js$/
  expect(inputs.filter((path) => barrel.test(path))).toEqual([])
})

it("the bundle has few of the SDK's schemas, so SdkChanges.ts fits this version of the SDK", () => {
  const bytes = chunks
    .flatMap(({ modules }) => Object.entries(modules))
    .filter(([id]) => id.includes("/@modelcontextprotocol/core/"))
    .reduce((sum, [, { renderedLength }]) => sum + renderedLength, 0)
  expect(bytes).toBeGreaterThan(1_000)
  // 35,000 without one of the two changes.
  expect(bytes).toBeLessThan(15_000)
})

it("the bundle has the licence of every package whose code is in it", () => {
  const names = bundledModules()
    .map((id) => (id.startsWith("\0rolldown/") ? "node_modules/rolldown" : id))
    .flatMap((path) => path.split("node_modules/").slice(1).at(-1) ?? [])
    .map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0])
  const text = readFileSync(join(dist, licensesFile), "utf8")
  expect(new Set(names).size).toBeGreaterThan(5)
  const titles = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(.+\)\n\n\S/gm)].map(
    ([, name]) => name
  )
  expect(new Set(titles)).toEqual(new Set(names))
  expect(titles).toHaveLength(new Set(names).size)
})

const service = {
  MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
  MESSAGING_TOPUP_TOKEN: "token"
}

it.each([
  { with: "a service", args: [], environment: service, needed: ["undici.cjs"] },
  {
    with: "the sandbox",
    args: ["--sandbox"],
    environment: {},
    needed: ["client.cjs", "sandbox.cjs"]
  }
])("reads only what it needs at its start with $with", async ({ args, environment, needed }) => {
  const bare = mkdtempSync(join(folder, "bare-"))
  for (const name of [...loadedAtStart, ...needed]) cpSync(join(dist, name), join(bare, name))
  await using connection = await connect("modern", stdio(join(bare, "main.cjs"), args, environment))
  expect((await connection.client.listTools()).tools).toHaveLength(8)
})

it("a client that starts the server twice reads the address of the page that has its SMS", async () => {
  const transport = stdio(bundled, ["--sandbox", "--inbox"])
  await using connection = await connect("modern", transport)
  // Over stdio, this client reads the instructions in a process that ends at once.
  expect(connection.client.getInstructions()).toMatch(
    /^\[Sandbox: nothing is really sent or bought\.\] /
  )
  expect(connection.client.getInstructions()).not.toContain("http:")
  const sent = { ...sms, recipient: "+15550100123" }
  const { text } = await connection.send(sent)
  const url = /; the person sees it at (\S+) in a browser\.\]/.exec(text)?.[1] ?? text
  const listed = await fetch(`${url}/_sandbox/messages`)
  expect(await listed.json()).toMatchObject({ messages: [sent] })
})

it.each(eras)("the bundle has the approval card, and takes its decision: %s era", async (era) => {
  await using server = await connectCards(era, stdio(bundled, ["--sandbox"]))
  const { contents } = await server.client.readResource({ uri })
  expect(contents).toMatchObject([{ text: page }])
  expect((await server.client.listResources()).resources).toHaveLength(1)
  const { card } = await server.call("send_sms", { ...sms, recipient: "+254700000001" })
  const declined = await server.decide(card, "decline")
  expect(declined.error["code"]).toMatch(/^confirmation_(declined|unasked)$/)
})

it("over HTTP reads the JWT library only for access tokens", async () => {
  const bare = mkdtempSync(join(folder, "bare-"))
  for (const name of [...loadedAtStart, "client.cjs", "sandbox.cjs", "http.cjs"]) {
    cpSync(join(dist, name), join(bare, name))
  }
  const start = (env: Environment) =>
    startProcess(["--sandbox", "--http", "--port", "0"], { file: join(bare, "main.cjs"), env })
  await using withKeys = start({ MESSAGING_TOPUP_MCP_BEARER_KEYS: `me:${"k".repeat(40)}` })
  expect(await withKeys.url()).toContain("/mcp")
  await using withTokens = start({
    MESSAGING_TOPUP_MCP_OAUTH_ISSUER: "https://a.example",
    MESSAGING_TOPUP_MCP_PUBLIC_URL: "https://b.example/mcp"
  })
  expect(await withTokens.ended).toMatchObject({ code: 1, stderr: "The command failed (Error)\n" })
})

it("the bundle serves callers with an access token over HTTP", async () => {
  const [issuer, forger] = [await authorizationServer(), await authorizationServer()]
  await using server = startProcess(["--sandbox", "--http", "--port", "0"], {
    file: bundled,
    env: {
      MESSAGING_TOPUP_MCP_OAUTH_ISSUER: issuer.issuer,
      MESSAGING_TOPUP_MCP_PUBLIC_URL: issuer.audience
    }
  })
  const url = await server.url()
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await callOver(url, "modern", 1, "preview_sms", sms, { headers })).status
  }
  expect(await status(await issuer.token())).toBe(200)
  expect(await status(await forger.token({ iss: issuer.issuer }))).toBe(401)
})

it.each(eras)(
  "the bundle, which changes the SDK, responds as the source does: %s era",
  async (era) => {
    const responsesOf = (server: RawStdio) =>
      server
        .lines()
        .filter((line) => !line.includes("good-"))
        .map((line) => line.replaceAll(/sbx-\d+-[a-z]{8}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "ID"))
        .toSorted()
    await using fromSource = await openStdio(era)
    await using fromBundle = await openStdioProcess(era, ["--sandbox"], { file: bundled })
    for (const server of [fromBundle, fromSource]) {
      await server.send(...hostileMessages(era, 1_000, 4711))
      await expectServingStdio(server, era)
    }
    // A call that looks at the journal may respond after a later one.
    await vi.waitFor(() => expect(responsesOf(fromBundle)).toEqual(responsesOf(fromSource)), 60_000)
    expect(responsesOf(fromBundle).length).toBeGreaterThan(300)
  }
)
