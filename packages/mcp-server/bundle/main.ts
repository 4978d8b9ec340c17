/** Writes the published files to `dist`, and those of the toolkit to `toolkit/dist`. */
import { join } from "node:path"
import { bundle } from "./Bundle.ts"
import { bundleToolkit } from "./Toolkit.ts"

await bundle(join(import.meta.dirname, "../dist"))
await bundleToolkit(join(import.meta.dirname, "../toolkit/dist"))
