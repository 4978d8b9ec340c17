/** Packs the built files in `dist` as `messaging-topup.mcpb`. */
import { fileURLToPath } from "node:url"
import { packMcpb } from "./Mcpb.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

await packMcpb(at("../dist"), at("../dist/messaging-topup.mcpb"))
