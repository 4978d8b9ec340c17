/**
 * Replaces the relative links of the READMEs with links to the repository, at the tag of this version. Only
 * the publishing checkout runs it. Do not commit its changes.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import core from "../packages/core/package.json" with { type: "json" }
import { absolute, readmes } from "./Links.ts"
import { repository } from "./Metadata.ts"
import { bounded } from "./support.ts"

if (repository === undefined) {
  throw new Error('"repository" in package.json is empty: see CONTRIBUTING.md')
}

for (const readme of readmes) {
  writeFileSync(join(bounded.cwd, readme.file), absolute(readme, repository, `v${core.version}`))
}
