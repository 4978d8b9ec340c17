/** Writes the bundled promise client to `dist`, over the compiler's output. */
import { fileURLToPath } from "node:url"
import { bundlePromiseClient } from "./PromiseClient.ts"

await bundlePromiseClient(fileURLToPath(new URL("../dist/promise", import.meta.url)))
