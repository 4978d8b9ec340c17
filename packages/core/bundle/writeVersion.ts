/** Copies the version of package.json to the module that says it; `changeset version` cannot. */
import { writeFileSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }

writeFileSync(
  new URL("../src/internal/Version.ts", import.meta.url),
  `/** The version of this package; \`pnpm release:version\` writes it. */
export const version = "${manifest.version}"
`
)
