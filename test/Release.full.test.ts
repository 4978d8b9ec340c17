import { execFile } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"

const address = "https://github.com/acme/sms"

const root = join(import.meta.dirname, "..")
const folder = mkdtempSync(join(tmpdir(), "messaging-topup-release-"))

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
    ".ci"
  ]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  edit(copy, "package.json", { repository })
  return copy
}

const read = (copy: string, file: string) =>
  JSON.parse(readFileSync(join(copy, file), "utf8")) as Record<string, unknown>

const version = String(read(root, "packages/core/package.json")["version"])
const tag = `v${version}`

const edit = (copy: string, file: string, fields: object): void =>
  writeFileSync(join(copy, file), JSON.stringify({ ...read(copy, file), ...fields }))

const run = (copy: string, script: string, ...args: ReadonlyArray<string>): Promise<string> =>
  promisify(execFile)(process.execPath, [join(copy, ".ci", script), ...args], { cwd: copy }).then(
    ({ stderr, stdout }) => stdout + stderr,
    ({ stderr }: { readonly stderr: string }) => `failed: ${stderr}`
  )

let filled: string

beforeAll(async () => {
  filled = checkout("filled", address)
  await run(filled, "write-metadata.ts")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it("the documents of the workspace agree with package.json", async () => {
  expect(await run(root, "write-metadata.ts", "--check")).toBe("")
})

it("a release without the address of the repository fails with a clear message", async () => {
  const empty = checkout("empty", "")
  expect(await run(empty, "check-release.ts")).toMatch(
    /^failed: The address of the repository is not set/
  )
  expect(await run(empty, "prepare-release.ts")).toContain('"repository" in package.json is empty')
  edit(empty, "package.json", { repository: "git@example.com:acme/sms.git" })
  expect(await run(empty, "check-release.ts")).toContain('"https://github.com/owner/name"')
})

it("one setting gives every document its repository, and every package its author", async () => {
  const late = checkout("late", "https://github.com/acme/late")
  expect(await run(late, "write-metadata.ts", "--check")).toContain("is stale")

  const { author } = read(root, "package.json")
  for (const file of globSync("packages/*/package.json", { cwd: filled })) {
    const directory = dirname(file)
    expect(read(filled, file)).toMatchObject({
      author,
      homepage: `${address}/tree/main/${directory}#readme`,
      bugs: `${address}/issues`,
      repository: { type: "git", url: `git+${address}.git`, directory }
    })
  }
  expect(read(filled, "packages/mcp-server/mcpb/manifest.json")).toMatchObject({
    author: { name: author },
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

it("every link of a packed README leads to an existing file, at the tag of the version", async () => {
  expect(await run(filled, "check-release.ts")).toContain("links that do not work on a registry")
  const prepared = checkout("prepared", address)
  await run(prepared, "write-metadata.ts")
  await run(prepared, "prepare-release.ts")
  expect(await run(prepared, "check-release.ts")).toBe(`${version} can be released\n`)

  const packages = globSync("packages/*", { cwd: prepared }).map((each) => `./${each}`)
  await promisify(execFile)("npm", ["pack", ...packages, "--ignore-scripts"], { cwd: prepared })
  const links = []
  for (const tarball of globSync("*.tgz", { cwd: prepared })) {
    const args = ["-xOf", join(prepared, tarball), "package/README.md"]
    const { stdout } = await promisify(execFile)("tar", args)
    const targets = [...stdout.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = ""]) => target)
    expect(targets, tarball).not.toEqual([])
    links.push(...targets)
  }
  const places = [`${address}/blob/${tag}/`, `https://raw.githubusercontent.com/acme/sms/${tag}/`]
  for (const link of links) {
    const place = places.find((each) => link.startsWith(each)) ?? "nowhere"
    expect(existsSync(join(root, link.replace(place, ""))), link).toBe(true)
  }
})

it("a release fails if there is a changeset, or if a package has another version", async () => {
  const waiting = checkout("waiting", address)
  writeFileSync(
    join(waiting, ".changeset/new.md"),
    '---\n"@messaging-topup/core": patch\n---\n\nA fix.\n'
  )
  edit(waiting, "packages/journal/package.json", { version: "0.2.0" })
  const said = await run(waiting, "check-release.ts")
  expect(said).toContain("There are changesets without a version")
  expect(said).toContain("packages/journal/package.json does not have the version of core")
})

it("server.json is valid against the schema that it names", async () => {
  const schema = readFileSync(join(root, "test/support/registry.schema.json"))
  const server = createServer((_, response) => response.end(schema)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  const file = "packages/mcp-server/server.json"
  const named = checkout("named", address)
  await run(named, "write-metadata.ts")
  edit(named, file, { $schema: `http://127.0.0.1:${port}/server.schema.json` })

  expect(await run(named, "check-registry.ts")).toContain("server.json is valid")
  edit(named, file, { description: "x".repeat(101), repository: { url: address } })
  const said = await run(named, "check-registry.ts")
  expect(said).toContain("data/description must NOT have more than 100 characters")
  expect(said).toContain("data/repository must have required property 'source'")
  server.close()
})

it("the icon of the .mcpb has the size that hosts require", () => {
  const { icon } = read(root, "packages/mcp-server/mcpb/manifest.json")
  const png = readFileSync(join(root, "packages/mcp-server/mcpb", String(icon)))
  expect(png.toString("latin1", 1, 4)).toBe("PNG")
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512])
})
