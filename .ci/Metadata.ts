/**
 * The metadata that registries show of a package. It comes only from `repository` and `author` of the root
 * package.json. While `repository` has no address, the fields that need it are left out, and no release is
 * possible.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { bounded } from "./support.ts"

const root = bounded.cwd

export interface Repository {
  readonly owner: string
  /** Such as `https://github.com/owner/name`. */
  readonly url: string
  /** `owner/name`. */
  readonly path: string
}

type Json = Readonly<Record<string, unknown>>

interface Document {
  /** The path from the root of the workspace. */
  readonly file: string
  readonly content: Json
}

const read = (file: string): Json => JSON.parse(readFileSync(join(root, file), "utf8")) as Json

const workspace = read("package.json")

/** Undefined while the address is not set. */
export const repository = ((): Repository | undefined => {
  const url = String(workspace["repository"])
  if (url === "") return undefined
  const [, path, owner] = /^https:\/\/github\.com\/(([\w-]+)\/[\w.-]+)$/.exec(url) ?? []
  if (path === undefined || owner === undefined || path.endsWith(".git")) {
    throw new Error(
      `"repository" in package.json is ${JSON.stringify(url)}, and should be like "https://github.com/owner/name"`
    )
  }
  return { owner, url, path }
})()

/** Replaces the named fields, and puts them after `license`. */
const withFields = (content: Json, names: ReadonlyArray<string>, fields: Json): Json =>
  Object.fromEntries(
    Object.entries(content)
      .filter(([key]) => !names.includes(key))
      .flatMap(([key, value]) =>
        key === "license" ? [[key, value], ...Object.entries(fields)] : [[key, value]]
      )
  )

const packageOf = (file: string): Json => {
  const directory = dirname(file)
  const about =
    repository === undefined
      ? {}
      : {
          homepage: `${repository.url}/tree/main/${directory}#readme`,
          bugs: `${repository.url}/issues`,
          repository: { type: "git", url: `git+${repository.url}.git`, directory }
        }
  const names = ["author", "homepage", "bugs", "repository"]
  return inNamespace(
    withFields(read(file), names, { author: workspace["author"], ...about }),
    "mcpName"
  )
}

/** The MCP registry allows a GitHub owner to publish only below `io.github.<owner>/`. */
const inNamespace = (content: Json, key: string): Json => {
  const name = content[key]
  if (repository === undefined || typeof name !== "string") return content
  return { ...content, [key]: `io.github.${repository.owner}/${name.split("/")[1]}` }
}

const registryEntry = (file: string): Json => {
  const { repository: _, ...content } = read(file)
  if (repository === undefined) return content
  const { $schema, name, title, description, ...rest } = inNamespace(content, "name")
  const source = { url: repository.url, source: "github", subfolder: dirname(file) }
  return { $schema, name, title, description, repository: source, ...rest }
}

const extension = (file: string): Json => {
  const about =
    repository === undefined
      ? {}
      : {
          homepage: repository.url,
          documentation: `${repository.url}/blob/main/docs/mcp.md`,
          support: `${repository.url}/issues`,
          repository: { type: "git", url: `${repository.url}.git` }
        }
  const names = ["homepage", "documentation", "support", "repository"]
  return withFields({ ...read(file), author: { name: workspace["author"] } }, names, about)
}

const documents: ReadonlyArray<Document> = [
  ...globSync("packages/*/package.json", { cwd: root }).map((file) => ({
    file,
    content: packageOf(file)
  })),
  ...[
    { file: "packages/mcp-server/server.json", make: registryEntry },
    { file: "packages/mcp-server/mcpb/manifest.json", make: extension }
  ].map(({ file, make }) => ({ file, content: make(file) }))
]

/** The documents that differ from the root package.json, with their correct content. */
export const stale = documents.filter(
  ({ content, file }) => !isDeepStrictEqual(content, read(file))
)
