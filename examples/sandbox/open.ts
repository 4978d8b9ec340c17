/** Builds the inbox, and runs the sandbox's command with the given options: `npx -y pnpm@12 sandbox`. */
import { buildInbox } from "./inbox.ts"

await buildInbox()
await import("../../packages/sandbox/src/main.ts")
