/**
 * Writes the links of the READMEs as a registry's page needs them: to the repository, at the tag of this
 * version. It is for the checkout that publishes; nobody commits what it writes.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import core from "../packages/core/package.json" with { type: "json" }
import { absolute, readmes } from "./Links.ts"
import { repository } from "./Metadata.ts"
import { bounded } from "./support.ts"

if (repository === undefined) {
  throw new Error('Nobody has filled in "repository" in package.json: see CONTRIBUTING.md')
}

for (const readme of readmes) {
  writeFileSync(join(bounded.cwd, readme.file), absolute(readme, repository, `v${core.version}`))
}
