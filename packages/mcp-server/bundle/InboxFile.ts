/**
 * Finds the inbox page in the published server: beside its files. Replaces the sandbox's own module.
 */
import { join } from "node:path"

declare const __dirname: string

export const inboxFile = (): string => join(__dirname, "inbox.html")
