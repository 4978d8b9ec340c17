/**
 * The licences of the packages whose code is in the bundle, which their terms ask to pass on.
 */
import * as Schema from "effect/Schema"
import type { Metafile } from "esbuild"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const decodeManifest = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ name: Schema.String, version: Schema.String, license: Schema.String })
  )
)

const folderPattern = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

const foldersOf = ({ outputs }: Metafile): ReadonlyArray<string> =>
  Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => folderPattern.exec(path) ?? [])

const entryOf = (folder: string): string => {
  const manifest = decodeManifest(readFileSync(join(folder, "package.json"), "utf8"))
  const title = `${manifest.name} ${manifest.version} (${manifest.license})`
  const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder }).toSorted()
  if (file === undefined) throw new Error(`${title} comes without the text of its licence`)
  return `${title}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`
}

/** One text, in the order of the packages' names. */
export const licenses = (root: string, metafiles: ReadonlyArray<Metafile>): string => {
  const folders = new Set(metafiles.flatMap(foldersOf))
  const entries = [...folders].map((folder) => entryOf(join(root, folder))).toSorted()
  return [...new Set(entries)].join(`\n${"-".repeat(80)}\n\n`)
}
