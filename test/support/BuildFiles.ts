/** Builds what tests start or show, for test:full before all its tests. */
import { fileURLToPath } from "node:url"
import { buildInbox } from "../../packages/sandbox/bundle/Inbox.ts"
import { buildServer } from "./ServerFile.ts"

const inboxFile = new URL("../../packages/sandbox/dist/inbox.html", import.meta.url)

/** Builds the inbox, in the file that the sandbox reads. */
export const buildInboxFile = () => buildInbox(fileURLToPath(inboxFile))

export const setup = async (): Promise<void> => {
  buildServer()
  await buildInboxFile()
}
