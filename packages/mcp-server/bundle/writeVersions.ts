/** Copies the version of package.json to the files that repeat it, which `changeset version` cannot. */
import { readFileSync, writeFileSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }

for (const name of ["../server.json", "../mcpb/manifest.json"]) {
  const file = new URL(name, import.meta.url)
  const content = readFileSync(file, "utf8")
  writeFileSync(file, content.replaceAll(/("version": )"[^"]+"/g, `$1"${manifest.version}"`))
}
