import { Ajv } from "ajv"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeAll, expect, it } from "vitest"
import { run, runNode } from "../harness/Process.ts"
import { folderOfFile } from "../harness/TemporaryFolder.ts"

const address = "https://github.com/acme/sms"

/** Where test/harness/registry.schema.json comes from. A schema of the registry does not change. */
const schemaAddress = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

const root = join(import.meta.dirname, "../..")
const folder = folderOfFile()

/** Copies the files that a release changes, with another repository in package.json. */
const checkout = (name: string, repository: string): string => {
  const copy = join(folder, name)
  for (const file of [
    "package.json",
    ...globSync(["packages/*/{package.json,README.md}", "packages/mcp-server/server.json"], {
      cwd: root
    }),
    "packages/mcp-server/mcpb/manifest.json",
    ".changeset/README.md",
    "scripts/prepare-release.ts"
  ]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { recursive: true })
  }
  const manifest = { ...read(copy, "package.json"), repository }
  writeFileSync(join(copy, "package.json"), JSON.stringify(manifest))
  return copy
}

const read = (copy: string, file: string) =>
  JSON.parse(readFileSync(join(copy, file), "utf8")) as Record<string, unknown>

const version = String(read(root, "packages/core/package.json")["version"])
const tag = `v${version}`

const prepare = async (copy: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const prepared = await runNode([join(copy, "scripts/prepare-release.ts"), ...args])
  return prepared.code === 0 ? prepared.stdout : `failed: ${prepared.stderr}`
}

let filled: string

beforeAll(async () => {
  filled = checkout("filled", address)
  expect(await prepare(filled, "--check")).toContain("is not ready for a registry")
  expect(await prepare(filled)).toBe(`${tag} is ready\n`)
})

it.each(["", "git@example.com:acme/sms.git", `${address}.git`])(
  "a release from the address %j fails with a clear message",
  async (repository) => {
    const copy = checkout("without", repository)
    for (const args of [[], ["--check"]]) {
      expect(await prepare(copy, ...args)).toContain(
        `"repository" in package.json is ${JSON.stringify(repository)}, and should be like`
      )
    }
  }
)

it("one setting gives every document its repository", () => {
  for (const file of globSync("packages/*/package.json", { cwd: filled })) {
    const directory = dirname(file)
    expect(read(filled, file)).toMatchObject({
      author: read(root, "package.json")["author"],
      homepage: `${address}/tree/main/${directory}#readme`,
      bugs: `${address}/issues`,
      repository: { type: "git", url: `git+${address}.git`, directory }
    })
  }
  expect(read(filled, "packages/mcp-server/mcpb/manifest.json")).toMatchObject({
    author: { name: read(root, "package.json")["author"] },
    support: `${address}/issues`,
    repository: { type: "git", url: `${address}.git` }
  })
  expect(read(filled, "packages/mcp-server/server.json")).toMatchObject({
    name: "io.github.acme/mcp-server",
    repository: { url: address, source: "github", subfolder: "packages/mcp-server" }
  })
  expect(read(filled, "packages/mcp-server/package.json")["mcpName"]).toBe(
    "io.github.acme/mcp-server"
  )
})

it("a checkout that is prepared passes the check of each publish", async () => {
  expect(await prepare(filled, "--check")).toBe(`${tag} is ready\n`)
})

it("every link of a packed README leads to an existing file, at the tag of the version", async () => {
  const packages = globSync("packages/*", { cwd: filled }).map((each) => `./${each}`)
  expect((await run("npm", ["pack", ...packages, "--ignore-scripts"], { cwd: filled })).code).toBe(
    0
  )
  const links = []
  for (const tarball of globSync("*.tgz", { cwd: filled })) {
    const args = ["-xOf", join(filled, tarball), "package/README.md"]
    const { stdout } = await run("tar", args)
    const targets = [...stdout.matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map(
      ([, target = ""]) => target
    )
    expect(targets, tarball).not.toEqual([])
    links.push(...targets)
  }
  const places = [`${address}/blob/${tag}/`, `https://raw.githubusercontent.com/acme/sms/${tag}/`]
  for (const link of links) {
    const place = places.find((each) => link.startsWith(each)) ?? "nowhere"
    expect(existsSync(join(root, link.replace(place, ""))), link).toBe(true)
  }
})

it("a release fails if there is a changeset without a version", async () => {
  const waiting = checkout("waiting", address)
  const changeset = '---\n"@messaging-topup/core": patch\n---\n\nA fix.\n'
  writeFileSync(join(waiting, ".changeset/new.md"), changeset)
  expect(await prepare(waiting)).toContain("Run pnpm release:version first")
})

it("server.json is valid against the schema that it names", () => {
  const schema = read(root, "test/harness/registry.schema.json")
  // Not strict, because the schema has `example` as in OpenAPI. The registry does not check formats.
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const entry = read(filled, "packages/mcp-server/server.json")
  expect(entry["$schema"]).toBe(schemaAddress)
  expect(ajv.validate(schema, entry), ajv.errorsText()).toBe(true)
  expect(ajv.validate(schema, { ...entry, description: "x".repeat(101) })).toBe(false)
  expect(ajv.validate(schema, { ...entry, repository: { url: address } })).toBe(false)
})

it("the icon of the .mcpb has the size that hosts require", () => {
  const { icon } = read(root, "packages/mcp-server/mcpb/manifest.json")
  const png = readFileSync(join(root, "packages/mcp-server/mcpb", String(icon)))
  expect(png.toString("latin1", 1, 4)).toBe("PNG")
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512])
})
