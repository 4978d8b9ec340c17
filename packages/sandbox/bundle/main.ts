/** Writes `startSandbox` to `dist`, where they are published beside the library. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { licenses } from "../../core/bundle/Licenses.ts"
import { bundleStartSandbox } from "./StartSandbox.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const dist = at("../dist")

const chunks = await bundleStartSandbox(dist)
writeFileSync(`${dist}/THIRD-PARTY-LICENSES.txt`, licenses(at("../../../"), chunks))
