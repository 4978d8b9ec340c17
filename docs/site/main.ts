/**
 * The documentation as a site: `node docs/site/main.ts` serves it, `… build` checks and writes it.
 */
import { fileURLToPath } from "node:url"
import { build, createServer } from "vitepress"
import { writeReference } from "./reference.ts"

const folder = fileURLToPath(new URL(".", import.meta.url))

await writeReference()

if (process.argv[2] === "build") {
  await build(folder)
} else {
  const server = await createServer(folder)
  await server.listen()
  server.printUrls()
}
