/**
 * The first lines of a program.
 *
 * Loading code takes most of a start. The compile cache makes every start but the first faster, and must be on
 * before other modules are imported. A Node that is too old also runs this file, to print the error, so it uses
 * nothing that is newer than Node 14: a named import of `enableCompileCache` would fail there.
 */
import * as Module from "node:module"

/** Loads the program, unless this Node is too old for it. */
export const startProgram = (name: string, load: () => Promise<unknown>): void => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major < 22 || (major === 22 && minor < 19)) {
    process.stderr.write(`${name} needs Node 22.19 or newer, and this is ${process.version}.\n`)
    process.exitCode = 2
    return
  }
  Module.enableCompileCache()
  void load()
}
