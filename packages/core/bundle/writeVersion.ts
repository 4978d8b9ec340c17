/** Copies the version of package.json to `Version.ts`, which `changeset version` does not update. */
import { readFileSync, writeFileSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }

const file = new URL("../src/Version.ts", import.meta.url)

writeFileSync(
  file,
  readFileSync(file, "utf8").replace(/(?<=const version = ")[^"]*/, manifest.version)
)
