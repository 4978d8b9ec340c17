/** Builds the inbox once for all tests, in the folder where the sandbox reads it. */
import { fileURLToPath } from "node:url"
import { buildInbox } from "../../packages/sandbox/bundle/Inbox.ts"

const file = fileURLToPath(new URL("../../packages/sandbox/dist/inbox.html", import.meta.url))

export const setup = async (): Promise<void> => {
  await buildInbox(file)
}
