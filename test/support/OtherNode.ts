/** A Node that is too old for the commands: one of this machine, or this one that says so. */
import { spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"

const isOld = (file: string): boolean => {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8" })
  const [major = 0, minor = 0] = (stdout ?? "").replace("v", "").split(".").map(Number)
  return major > 0 && (major < 22 || (major === 22 && minor < 19))
}

/** Absent where the machine has none. */
export const oldNode = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find(isOld)

/** The arguments with which this Node has another version. */
export const pretending = (version: string): ReadonlyArray<string> => {
  const program = `
    Object.defineProperty(process, "version", { value: "v${version}" })
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })
  `
  return ["--import", `data:text/javascript,${encodeURIComponent(program)}`]
}
