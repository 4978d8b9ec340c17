/** Prints everything that is missing for a release. `pnpm publish` runs it for each package, and stops if it fails. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import core from "../packages/core/package.json" with { type: "json" }
import { readmes, relativeLinks } from "./Links.ts"
import { repository, stale } from "./Metadata.ts"
import { bounded } from "./support.ts"

const has = (file: string, text: string): boolean =>
  readFileSync(join(bounded.cwd, file), "utf8").includes(text)

const changesets = globSync(".changeset/*.md", { cwd: bounded.cwd }).filter(
  (file) => !file.endsWith("README.md")
)

const problems = [
  ...(repository === undefined
    ? ['The address of the repository is not set: fill in "repository" in package.json']
    : []),
  ...stale.map(({ file }) => `${file} differs from package.json: run pnpm metadata`),
  ...(changesets.length > 0
    ? [
        `There are changesets without a version: run pnpm release:version (${changesets.join(", ")})`
      ]
    : []),
  ...globSync("packages/*/package.json", { cwd: bounded.cwd })
    .filter((file) => !has(file, `"version": "${core.version}"`))
    .map((file) => `${file} does not have the version of core, ${core.version}`),
  ...readmes
    .filter((readme) => relativeLinks(readme).length > 0)
    .map(({ file }) => `${file} has links that do not work on a registry: run pnpm release:prepare`)
]

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log(`${core.version} can be released`)
