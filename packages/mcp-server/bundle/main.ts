/** Writes the published files to `dist`; with `--mcpb`, packs them as `messaging-topup.mcpb`. */
import { join } from "node:path"
import { bundle } from "./Bundle.ts"
import { packMcpb } from "./Mcpb.ts"

const dist = join(import.meta.dirname, "../dist")

await (process.argv.includes("--mcpb")
  ? packMcpb(dist, join(dist, "messaging-topup.mcpb"))
  : bundle(dist))
