import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { execPath } from "node:process"
import { serverFile } from "../support/ServerFile.ts"

const packageName = "@messaging-topup/mcp-server"

interface Entry {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && "command" in value && "args" in value

/** Whatever the host calls the object that its servers are in. */
const entriesOf = (json: unknown): ReadonlyArray<Entry> => {
  if (isEntry(json)) return [json]
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(entriesOf) : []
}

const documents = ["README.md", ...globSync("docs/**/*.md"), ...globSync("packages/*/README.md")]

const configurations = documents.flatMap((document) =>
  [...readFileSync(document, "utf8").matchAll(/^```json\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = ""]) => entriesOf(JSON.parse(block)))
    .map((entry, index) => ({ ...entry, name: `${document} (${index + 1})` }))
)

it("the documents have a configuration for npx and one for Windows", () => {
  const commands = configurations.map(({ command }) => command)
  expect(new Set(commands)).toEqual(new Set(["npx", "cmd"]))
  for (const { args, command } of configurations) {
    const before = command === "cmd" ? ["/c", "npx", "-y"] : ["-y"]
    expect(args.slice(0, before.length + 1)).toEqual([...before, packageName])
  }
})

it.each(configurations)("the configuration in $name starts the server", async ({ args, env }) => {
  const client = new Client({ name: "test", version: "1" })
  const transport = new StdioClientTransport({
    command: execPath,
    args: [serverFile, ...args.slice(args.indexOf(packageName) + 1)],
    env: { ...env },
    stderr: "ignore"
  })
  try {
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain("preview_sms")
  } finally {
    await client.close()
  }
})
