/**
 * The documentation as a site: `node docs/site/main.ts` serves it, `… build` checks and writes it.
 */
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build, createServer } from "vitepress"
import { writeReference } from "./reference.ts"

const output = fileURLToPath(new URL("../../node_modules/.cache/docs-site", import.meta.url))
const folder = fileURLToPath(new URL(".", import.meta.url))

await writeReference()

if (process.argv[2] === "build") {
  await build(folder)
  console.log(`The site is in ${relative(process.cwd(), output)}`)
} else {
  const server = await createServer(folder)
  await server.listen()
  server.printUrls()
}
