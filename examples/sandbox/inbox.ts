/** Builds the inbox, which a package from the registry has built in. */
import { fileURLToPath } from "node:url"

const file = new URL(
  "dist/inbox.html",
  import.meta.resolve("@messaging-topup/sandbox/package.json")
)

export const buildInbox = async (): Promise<void> => {
  // The bundler takes a moment to load.
  const build = await import("../../packages/sandbox/bundle/Inbox.ts")
  await build.buildInbox(fileURLToPath(file))
}
