/**
 * A Node that is too old for the commands: an old one on this machine, or this one with a faked
 * version.
 */
import { spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"

const isOld = (file: string): boolean => {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" })
  const [major = 0, minor = 0] = (stdout ?? "").replace("v", "").split(".").map(Number)
  return major > 0 && (major < 22 || (major === 22 && minor < 19))
}

/** Returns an old Node of this machine, or `undefined` if there is none. */
export const oldNode = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find(isOld)

/** Returns the arguments that make this Node report another version. */
export const pretending = (version: string): ReadonlyArray<string> => {
  const program = `
    Object.defineProperty(process, "version", { value: "v${version}" })
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })
  `
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`]
}
