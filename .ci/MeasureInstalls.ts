/** Measures how many packages a user installs, and how large ours are. */
import { spawnSync } from "node:child_process"
import { bytesIn, install } from "../bench/installed.ts"
import { bounded, packPackages, stdoutOf, temporaryFolder, versionHere } from "./support.ts"

/** The number of packages that npm installs for these dependencies. */
const countOf = (dependencies: Readonly<Record<string, string>>): number =>
  install(temporaryFolder(), dependencies).packages

export const measureInstalls = (): Readonly<Record<string, number>> => {
  const packages = packPackages(temporaryFolder())
  const unpacked = packages.map(({ filename, name }): [string, number] => {
    const folder = temporaryFolder()
    stdoutOf(spawnSync("tar", ["-xzf", filename, "-C", folder], bounded))
    return [`unpacked: ${name.replace("@messaging-topup/", "")}`, bytesIn(folder)]
  })
  const tarballOf = (name: string): Record<string, string> => {
    const filename = packages.find((each) => each.name === name)?.filename
    return { [name]: `file:${filename}` }
  }
  const core = tarballOf("@messaging-topup/core")
  return {
    ...Object.fromEntries(unpacked),
    "packages with core": countOf(core),
    "packages with core and effect": countOf({ ...core, effect: versionHere("effect") }),
    "packages with mcp-server": countOf(tarballOf("@messaging-topup/mcp-server"))
  }
}
