/** Packs the built files in `dist` as `messaging-topup.mcpb`. */
import { join } from "node:path"
import { packMcpb } from "./Mcpb.ts"

const at = (path: string): string => join(import.meta.dirname, path)

await packMcpb(at("../dist"), at("../dist/messaging-topup.mcpb"))
