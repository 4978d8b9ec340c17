/** Writes the promise client to `dist`, over what the compiler made there. */
import { fileURLToPath } from "node:url"
import { bundlePromiseClient } from "./PromiseClient.ts"

await bundlePromiseClient(fileURLToPath(new URL("../dist/promise", import.meta.url)))
