/** Writes the inbox, the page at `/`, to `dist`. */
import { fileURLToPath } from "node:url"
import { buildInbox } from "./Inbox.ts"

await buildInbox(fileURLToPath(new URL("../dist/inbox.html", import.meta.url)))
