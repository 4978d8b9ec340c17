/**
 * Serves the documentation as a site: `node docs/site/main.ts`. With `build`, checks and writes the site.
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
