/**
 * Where the inbox is in the server as it ships: beside it. In the place of the sandbox's own module.
 */
import { join } from "node:path"

declare const __dirname: string

export const inboxFile = (): string => join(__dirname, "inbox.html")
