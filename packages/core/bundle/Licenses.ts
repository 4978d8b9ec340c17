/** Collects the licences of the packages whose code is in the bundle. Their terms require a copy. */
import * as Schema from "effect/Schema"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { OutputChunk } from "rolldown"

const decodeManifest = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ name: Schema.String, version: Schema.String, license: Schema.String })
  )
)

const folderPattern = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

const foldersOf = ({ modules }: OutputChunk): ReadonlyArray<string> =>
  Object.entries(modules)
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .flatMap(([id]) => folderPattern.exec(id) ?? [])

const entryOf = (folder: string): string => {
  const manifest = decodeManifest(readFileSync(join(folder, "package.json"), "utf8"))
  const title = `${manifest.name} ${manifest.version} (${manifest.license})`
  const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder }).toSorted()
  if (file === undefined) throw new Error(`${title} comes without the text of its licence`)
  return `${title}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`
}

/** Returns one text, sorted by package name. */
export const licenses = (root: string, chunks: ReadonlyArray<OutputChunk>): string => {
  // The bundler's own runtime is in the bundle too, but no module path names it.
  const bundler = join(root, "node_modules/rolldown")
  const folders = new Set([bundler, ...chunks.flatMap(foldersOf)])
  const entries = [...folders].map(entryOf).toSorted()
  return [...new Set(entries)].join(`\n${"-".repeat(80)}\n\n`)
}
