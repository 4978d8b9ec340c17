/** Packs all packages into `tarballs/`. Until they are in a registry, users install them from a clone. */
import { mkdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { packPackages } from "./support.ts"

const folder = fileURLToPath(new URL("../tarballs/", import.meta.url))

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const { filename, name } of packPackages(folder)) console.log(`${name}  ${filename}`)
