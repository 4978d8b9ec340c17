/** The links of a package's README. They must also work on the page of a registry. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import type { Repository } from "./Metadata.ts"
import { bounded } from "./support.ts"

/** Relative links and images. They do not work on a registry, which has only the README. */
const relative = /(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)/g

export interface Readme {
  /** The path from the root of the workspace. */
  readonly file: string
  readonly text: string
}

export const readmes: ReadonlyArray<Readme> = globSync("packages/*/README.md", {
  cwd: bounded.cwd
}).map((file) => ({ file, text: readFileSync(join(bounded.cwd, file), "utf8") }))

export const relativeLinks = ({ text }: Readme): ReadonlyArray<string> =>
  [...text.matchAll(relative)].map(([, , , target = ""]) => target)

/** Replaces relative links with links to the repository at this tag. */
export const absolute = ({ file, text }: Readme, { path, url }: Repository, tag: string): string =>
  text.replace(relative, (_, image: string, label: string, target: string) => {
    const to = posix.join(dirname(file), target)
    const base =
      image === "" ? `${url}/blob/${tag}` : `https://raw.githubusercontent.com/${path}/${tag}`
    return `${image}[${label}](${base}/${to})`
  })
