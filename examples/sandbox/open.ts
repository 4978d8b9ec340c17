/** Builds the inbox, and runs the sandbox's command with the given options: `npx -y pnpm@12 sandbox`. */
import { buildInbox } from "./inbox.ts"

await buildInbox()
// The build has no declarations of the command, so its types cannot be resolved after a build.
await import(new URL("../../packages/sandbox/src/main.ts", import.meta.url).href)
