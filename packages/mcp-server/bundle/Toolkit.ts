/**
 * Bundles the toolkit into one module, which imports only what its peer dependencies export. It is no part of
 * `dist`, which the image and the `.mcpb` contain.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "rolldown"

const at = (path: string): string => join(import.meta.dirname, path)

/** Of `tsc -b`. */
const declarations = at("../../../node_modules/.cache/types/mcp-server/src/toolkit/Toolkit.d.ts")

/** Replaces `outdir` with the module and its types. */
export const bundleToolkit = async (outdir: string): Promise<void> => {
  const types = readFileSync(declarations, "utf8")
  if (/from "\.|import\("\./.test(types)) {
    throw new Error("Toolkit.ts must declare all its public types: others are not published")
  }
  rmSync(outdir, { recursive: true, force: true })
  await build({
    input: at("../src/toolkit/Toolkit.ts"),
    platform: "node",
    external: [/^effect\//, /^@messaging-topup\/(core|journal)\b/],
    // The comments are in the sources.
    output: { file: join(outdir, "toolkit.js"), format: "esm", comments: false }
  })
  writeFileSync(join(outdir, "toolkit.d.ts"), types.replace(/\n\/\/# sourceMappingURL=.*/, ""))
}
