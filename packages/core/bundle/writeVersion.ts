/**
 * Copies the version of package.json to `Version.ts`, which `changeset version` does not update.
 */
import { writeFileSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }

writeFileSync(
  new URL("../src/transport/Version.ts", import.meta.url),
  `/** The version of this package; \`pnpm release:version\` writes it. */
export const version = "${manifest.version}"
`
)
