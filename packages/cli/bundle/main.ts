/** Writes the published files to `dist`. */
import { join } from "node:path"
import { bundle } from "./Bundle.ts"

await bundle(join(import.meta.dirname, "../dist"))
