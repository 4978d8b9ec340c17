/** Packs the bundle as an `.mcpb` file, which desktop assistants install with a click. */
import { packExtension } from "@anthropic-ai/mcpb"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const at = (path: string): string => join(import.meta.dirname, path)

/** Packs the files in the folder `bundled` into `file`, and checks the manifest. */
export const packMcpb = async (bundled: string, file: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "messaging-topup-mcpb-"))
  try {
    for (const name of ["manifest.json", "icon.png"])
      cpSync(at(`../mcpb/${name}`), join(folder, name))
    cpSync(at("../LICENSE"), join(folder, "LICENSE"))
    cpSync(bundled, join(folder, "server"), { recursive: true })
    const isPacked = await packExtension({
      extensionPath: folder,
      outputPath: file,
      silent: true
    })
    if (!isPacked) throw new Error("The .mcpb could not be packed: see the messages above")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
