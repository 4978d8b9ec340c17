/** What a user of the packages installs: how many packages, and how large ours are. */
import { spawnSync } from "node:child_process"
import { globSync, lstatSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bounded, packPackages, stdoutOf, temporaryFolder, versionHere } from "./support.ts"

const bytesOf = (folder: string): number =>
  globSync("**/*", { cwd: folder })
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0)

/** How many packages npm installs for these. */
const countOf = (dependencies: Readonly<Record<string, string>>): number => {
  const project = temporaryFolder()
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, dependencies }))
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts"]
  stdoutOf(spawnSync("npm", args, { ...bounded, cwd: project }))
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
    readonly packages: object
  }
  // One is the project.
  return Object.keys(lock.packages).length - 1
}

export const measureInstalls = (): Readonly<Record<string, number>> => {
  const packages = packPackages(temporaryFolder())
  const unpacked = packages.map(({ filename, name }): [string, number] => {
    const folder = temporaryFolder()
    stdoutOf(spawnSync("tar", ["-xzf", filename, "-C", folder], bounded))
    return [`unpacked: ${name.replace("@messaging-topup/", "")}`, bytesOf(folder)]
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
