/** Writes the published files to `dist`, and those of the toolkit to `toolkit/dist`. */
import { fileURLToPath } from "node:url"
import { bundle } from "./Bundle.ts"
import { bundleToolkit } from "./Toolkit.ts"

await bundle(fileURLToPath(new URL("../dist", import.meta.url)))
await bundleToolkit(fileURLToPath(new URL("../toolkit/dist", import.meta.url)))
