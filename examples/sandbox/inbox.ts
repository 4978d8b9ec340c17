/** Builds the inbox. A package from the registry contains it already. */
import { fileURLToPath } from "node:url"

const file = new URL(
  "dist/inbox.html",
  import.meta.resolve("@messaging-topup/sandbox/package.json")
)

export const buildInbox = async (): Promise<void> => {
  // Imported here, because the bundler takes a moment to load.
  const build = await import("../../packages/sandbox/bundle/Inbox.ts")
  await build.buildInbox(fileURLToPath(file))
}
