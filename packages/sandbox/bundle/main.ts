/** Writes what is published beside the library to `dist`: the inbox, the command, `startSandbox`. */
import { fileURLToPath } from "node:url"
import { bundleCommand } from "./Command.ts"
import { buildInbox } from "./Inbox.ts"

const dist = fileURLToPath(new URL("../dist", import.meta.url))

await buildInbox(`${dist}/inbox.html`)
await bundleCommand(dist)
