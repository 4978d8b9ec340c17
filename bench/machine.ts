/**
 * The machine and the versions of a run. Without a date, so that a second run changes little.
 */
import { availableParallelism } from "node:os"
import type { Results } from "./report/results.ts"
import { comparedVersions, versionOf } from "./versions.ts"

const ownPackages = ["effect", "undici", "esbuild"]

export const machine = (): Results["machine"] => ({
  cores: availableParallelism(),
  platform: `${process.platform} ${process.arch}`,
  versions: {
    Node: process.versions.node,
    ...Object.fromEntries(ownPackages.map((name) => [name, versionOf(name)])),
    ...comparedVersions()
  }
})
