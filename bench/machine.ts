/**
 * What the figures depend on. No date: making them again should change little.
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
