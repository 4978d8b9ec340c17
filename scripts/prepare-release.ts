/**
 * Fills in what follows from `"repository"` in package.json: the fields that registries show, the namespace of
 * the MCP registry, and the links of the READMEs, because the page of a registry has no `docs/` beside them.
 * Only a publishing checkout runs it, and its changes are not committed. With `--check`, it changes nothing,
 * and fails if something is missing: `pnpm publish` runs this for each package.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"

const root = join(import.meta.dirname, "..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const fields = (file: string) => JSON.parse(read(file)) as Readonly<Record<string, unknown>>
const glob = (pattern: string) => globSync(pattern, { cwd: root })

const url = String(fields("package.json")["repository"])
const [, path, owner = ""] = /^https:\/\/github\.com\/(([\w-]+)\/[\w.-]*\w)$/.exec(url) ?? []
if (path === undefined || path.endsWith(".git")) {
  throw new Error(
    `"repository" in package.json is ${JSON.stringify(url)}, and should be like "https://github.com/owner/name"`
  )
}
const changesets = glob(".changeset/*.md").filter((file) => !file.endsWith("README.md"))
if (changesets.length > 0) {
  throw new Error(`Run pnpm release:version first, for ${changesets.join(", ")}`)
}
const tag = `v${String(fields("packages/core/package.json")["version"])}`

/** The MCP registry allows a GitHub owner to publish only below `io.github.<owner>/`. */
const inNamespace = (name: unknown) => `io.github.${owner}/${String(name).split("/").at(-1)}`

const manifest = (file: string): object => {
  const content = fields(file)
  const directory = dirname(file)
  return {
    ...content,
    ...("mcpName" in content ? { mcpName: inNamespace(content["mcpName"]) } : {}),
    homepage: `${url}/tree/main/${directory}#readme`,
    bugs: `${url}/issues`,
    repository: { type: "git", url: `git+${url}.git`, directory }
  }
}

const registryEntry = (file: string): object => ({
  ...fields(file),
  name: inNamespace(fields(file)["name"]),
  repository: { url, source: "github", subfolder: dirname(file) }
})

const extension = (file: string): object => ({
  ...fields(file),
  homepage: url,
  documentation: `${url}/blob/main/docs/mcp.md`,
  support: `${url}/issues`,
  repository: { type: "git", url: `${url}.git` }
})

const readme = (file: string): string =>
  read(file).replace(
    /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g,
    (_, image: string, label: string, target: string) => {
      const base = image === "" ? `${url}/blob` : `https://raw.githubusercontent.com/${path}`
      return `${image}[${label}](${base}/${tag}/${posix.join(dirname(file), target)})`
    }
  )

const json = (content: object) => `${JSON.stringify(content, null, 2)}\n`
const filled = [
  ...glob("packages/*/package.json").map((file) => [file, json(manifest(file))] as const),
  ...glob("packages/mcp-server/server.json").map(
    (file) => [file, json(registryEntry(file))] as const
  ),
  ...glob("packages/*/mcpb/manifest.json").map((file) => [file, json(extension(file))] as const),
  ...glob("packages/*/README.md").map((file) => [file, readme(file)] as const)
]
for (const [file, content] of filled) {
  if (!process.argv.includes("--check")) writeFileSync(join(root, file), content)
  else if (content !== read(file)) {
    throw new Error(`${file} is not ready for a registry: run node scripts/prepare-release.ts`)
  }
}
console.log(`${tag} is ready`)
