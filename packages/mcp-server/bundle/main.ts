/** Writes the published files to `dist`. */
import { fileURLToPath } from "node:url"
import { bundle } from "./Bundle.ts"

await bundle(fileURLToPath(new URL("../dist", import.meta.url)))
