import { getMcpConfigForManifest, type McpbManifestAny } from "@anthropic-ai/mcpb"
import { packMcpb } from "@messaging-topup/mcp-server/bundle/Mcpb.ts"
import {
  groups,
  variableOf,
  variables as knownVariables
} from "@messaging-topup/mcp-server/src/Options.ts"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Ajv } from "ajv"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { folderOfFile } from "../harness/TemporaryFolder.ts"
import { runNode } from "../harness/Process.ts"
import { serverFile } from "../harness/Bundled.ts"
import { connect } from "../harness/mcp/GuardedServer.ts"
import { openSandbox, type RealSandbox } from "../harness/mcp/RealSandbox.ts"
import { cleanEnvironment, type Environment, startProcess } from "../harness/mcp/Server.ts"

const inPackage = (path: string) =>
  fileURLToPath(new URL(`../../packages/mcp-server/${path}`, import.meta.url))

const read = (path: string): unknown => JSON.parse(readFileSync(inPackage(path), "utf8"))

const published = read("package.json") as {
  readonly name: string
  readonly version: string
  readonly mcpName: string
  readonly engines: { readonly node: string }
  readonly dependencies?: unknown
}

const folder = folderOfFile()
const dist = dirname(serverFile)

const sms = { recipient: "+254700000001", message: "Your code is 4711" }

/** Where test/harness/registry.schema.json comes from. A schema of the registry does not change. */
const schemaAddress = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

const serviceVariables = ["MESSAGING_TOPUP_BASE_URL", "MESSAGING_TOPUP_TOKEN"]

it("the package has no dependencies", () => {
  expect(published.dependencies).toBeUndefined()
})

it("the code is ASCII, which Node keeps in half of the memory", () => {
  const code = readdirSync(dist).filter((name) => name.endsWith(".cjs"))
  expect(code).toContain("server.cjs")
  const others = code.filter((name) => /[^\p{ASCII}]/u.test(readFileSync(join(dist, name), "utf8")))
  expect(others).toEqual([])
})

describe("the .mcpb", () => {
  const unpacked = join(folder, "unpacked")
  const manifest = read("mcpb/manifest.json") as McpbManifestAny
  const { mcp_config: config } = manifest.server

  it("has an icon of the size that hosts require", () => {
    const png = readFileSync(inPackage(`mcpb/${manifest.icon}`))
    expect(png.toString("latin1", 1, 4)).toBe("PNG")
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512])
  })

  const mcpb = (...args: ReadonlyArray<string>) => {
    const cli = fileURLToPath(new URL("cli/cli.js", import.meta.resolve("@anthropic-ai/mcpb")))
    const { status, stderr, stdout } = spawnSync(process.execPath, [cli, ...args], {
      encoding: "utf8"
    })
    if (status !== 0) throw new Error(stdout + stderr)
  }

  beforeAll(async () => {
    const file = join(folder, "server.mcpb")
    await packMcpb(dist, file)
    mcpb("unpack", file, unpacked)
  })

  /** Returns what a host runs, with the values that the person filled in. */
  const hosted = async (userConfig: Record<string, string | boolean | number>) => {
    const found = await getMcpConfigForManifest({
      manifest: JSON.parse(
        readFileSync(join(unpacked, "manifest.json"), "utf8")
      ) as McpbManifestAny,
      extensionPath: unpacked,
      systemDirs: {},
      userConfig,
      pathSeparator: "/"
    })
    if (found === undefined) return undefined
    return { args: found.args ?? [], environment: found.env ?? {} }
  }

  const opened = (args: ReadonlyArray<string>, environment: Environment) =>
    connect(
      "modern",
      new StdioClientTransport({
        command: process.execPath,
        args: [...args],
        env: cleanEnvironment(environment),
        stderr: "ignore"
      })
    )

  const account = ({ env }: RealSandbox) => ({
    base_url: env["MESSAGING_TOPUP_BASE_URL"] ?? "",
    token: env["MESSAGING_TOPUP_TOKEN"] ?? ""
  })

  it("passes the validation of the mcpb tool", () => {
    expect(() => mcpb("validate", inPackage("mcpb/manifest.json"))).not.toThrow()
  })

  it("sets variables that exist, from settings that exist", () => {
    const variables = Object.keys(config.env ?? {})
    expect(variables.filter((name) => !knownVariables.includes(name)).toSorted()).toEqual(
      serviceVariables
    )
    expect(Object.values(config.env ?? {}).toSorted()).toEqual(
      Object.keys(manifest.user_config ?? {})
        .map((key) => `\${user_config.${key}}`)
        .toSorted()
    )
  })

  it("hides the token", () => {
    expect(manifest.user_config?.["token"]?.sensitive).toBe(true)
  })

  it("has the version and the Node of the package", () => {
    expect(manifest.version).toBe(published.version)
    expect(manifest.compatibility?.runtimes?.node).toBe(published.engines.node)
  })

  it("is not started without address and token", async () => {
    expect(await hosted({})).toBeUndefined()
  })

  it("offers the tools of its manifest with only address and token set, and sends to whom the person lists", async () => {
    await using upstream = await openSandbox()
    const host = await hosted(account(upstream))
    await using connection = await opened(host?.args ?? [], host?.environment ?? {})
    const { tools } = await connection.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(manifest.tools?.map(({ name }) => name))
    // This client cannot ask.
    expect((await connection.send(sms)).error).toMatchObject({ code: "confirmation_unavailable" })
    const listing = await hosted({ ...account(upstream), allow_recipients: sms.recipient })
    await using sender = await opened(listing?.args ?? [], listing?.environment ?? {})
    const response = await sender.send(sms)
    expect(response.isError, response.text).toBe(false)
    expect(await upstream.messages()).toHaveLength(1)
  })

  it("applies what the person filled in", async () => {
    await using upstream = await openSandbox()
    const restricted = await hosted({ ...account(upstream), allow_recipients: "+2541*" })
    await using connection = await opened(restricted?.args ?? [], restricted?.environment ?? {})
    expect((await connection.send(sms)).isError).toBe(true)
    const reading = await hosted({ ...account(upstream), read_only: true })
    await using reader = await opened(reading?.args ?? [], reading?.environment ?? {})
    const { tools } = await reader.client.listTools()
    expect(tools.map(({ name }) => name)).not.toContain("send_sms")
    expect(await upstream.messages()).toEqual([])
  })

  // A host without support for defaults leaves the template unchanged, or replaces it by an empty text.
  const guards = Object.keys(config.env ?? {}).filter((name) => !serviceVariables.includes(name))
  const leftovers = guards.flatMap((name) =>
    [config.env?.[name] ?? "", "undefined", "null"].map((value) => [name, value] as const)
  )

  it.each(leftovers)("does not start if a host left %s=%s", async (name, value) => {
    const { args } = (await hosted({ base_url: "http://127.0.0.1:9", token: "t" })) ?? { args: [] }
    const [file = "", ...rest] = args
    await using server = startProcess(rest, {
      file,
      env: {
        MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
        MESSAGING_TOPUP_TOKEN: "token",
        [name]: value
      }
    })
    const { code, stderr } = await server.ended
    expect(code).toBe(2)
    expect(stderr).toContain(name)
  })
})

describe("server.json", () => {
  interface Variable {
    readonly name: string
    readonly description: string
    readonly isSecret?: boolean
    readonly isRequired?: boolean
  }

  const entry = read("server.json") as {
    readonly $schema: string
    readonly name: string
    readonly version: string
    readonly packages: ReadonlyArray<{
      readonly registryType: string
      readonly identifier: string
      readonly version: string
      readonly environmentVariables: ReadonlyArray<Variable>
    }>
  }

  it("is valid against the schema that it names", () => {
    const file = new URL("../harness/registry.schema.json", import.meta.url)
    const schema: unknown = JSON.parse(readFileSync(file, "utf8"))
    // Not strict, because the schema has `example` as in OpenAPI. The registry does not check formats.
    const ajv = new Ajv({ strict: false, validateFormats: false })
    expect(entry.$schema).toBe(schemaAddress)
    expect(ajv.validate(schema as object, entry), ajv.errorsText()).toBe(true)
    expect(ajv.validate(schema as object, { ...entry, description: "x".repeat(101) })).toBe(false)
  })

  it("has the name and the version of the package", () => {
    expect(entry.name).toBe(published.mcpName)
    expect(entry.version).toBe(published.version)
    expect(
      entry.packages.map(({ identifier, registryType, version }) => ({
        identifier,
        registryType,
        version
      }))
    ).toEqual([{ registryType: "npm", identifier: published.name, version: published.version }])
  })

  it("has the variables of the service and all guards, with the texts of the help", () => {
    const variables = entry.packages[0]?.environmentVariables ?? []
    const required = variables.filter(({ isRequired }) => isRequired === true)
    expect(required.map(({ name }) => name)).toEqual(serviceVariables)
    expect(variables.filter(({ isSecret }) => isSecret === true).map(({ name }) => name)).toEqual([
      "MESSAGING_TOPUP_TOKEN"
    ])
    const guards = variables.filter(({ isRequired }) => isRequired !== true)
    expect(guards.map(({ description, name }) => [name, description])).toEqual(
      Object.entries(groups["What may be sent"]).map(([name, { help }]) => [variableOf(name), help])
    )
  })
})

// Docker is not run here: the program and the health check of the Dockerfile are.
describe("the Dockerfile", () => {
  const dockerfile = readFileSync(inPackage("Dockerfile"), "utf8")
  const environment = Object.fromEntries(
    [...dockerfile.matchAll(/^(?:ENV| {3}) (MESSAGING_\w+)=(\S+)/gm)].map(
      ([, name = "", value = ""]) => [name, value]
    )
  )

  it("names variables that exist, and holds no secret", () => {
    const named = [...dockerfile.matchAll(/MESSAGING_TOPUP_MCP_\w+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(0)
    expect(knownVariables).toEqual(expect.arrayContaining(named))
    expect(Object.keys(environment).filter((name) => /TOKEN|KEY/.test(name))).toEqual([])
  })

  it("does not start without authentication", async () => {
    await using server = startProcess([], {
      env: {
        ...environment,
        MESSAGING_TOPUP_MCP_SANDBOX: "true",
        MESSAGING_TOPUP_JOURNAL: "memory"
      }
    })
    const { code, stderr } = await server.ended
    expect(code).toBe(2)
    expect(stderr).toContain("MESSAGING_TOPUP_MCP_HOST")
  })

  it("has a health check that succeeds with a server and fails without one", async () => {
    const [, source = "[]"] = /^ {2}CMD (\[.+\])$/m.exec(dockerfile) ?? []
    const [, ...check] = JSON.parse(source) as ReadonlyArray<string>
    await using server = startProcess([], {
      env: {
        ...environment,
        MESSAGING_TOPUP_MCP_SANDBOX: "true",
        MESSAGING_TOPUP_JOURNAL: "memory",
        MESSAGING_TOPUP_MCP_PORT: "0",
        MESSAGING_TOPUP_MCP_BEARER_KEYS: "host:0123456789abcdef0123456789abcdef",
        MESSAGING_TOPUP_MCP_PUBLIC_URL: "https://sms.example.com/mcp"
      }
    })
    const health = async (port: string) =>
      (await runNode(check, { env: { MESSAGING_TOPUP_MCP_PORT: port } })).code
    const { port } = new URL(await server.url())
    expect(await health(port)).toBe(0)
    server.process.kill("SIGKILL")
    await server.ended
    expect(await health(port)).toBe(1)
  })
})
