/** Writes the repository and the authors into all documents. With `--check`, only compares them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { argv } from "node:process"
import { stale } from "./Metadata.ts"
import { bounded } from "./support.ts"

for (const { content, file } of stale) {
  if (argv.includes("--check")) throw new Error(`${file} is stale: run npx -y pnpm@12 metadata`)
  writeFileSync(join(bounded.cwd, file), `${JSON.stringify(content, null, 2)}\n`)
  console.log(`wrote ${file}`)
}
