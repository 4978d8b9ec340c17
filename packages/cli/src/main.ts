#!/usr/bin/env node
/**
 * The command `messaging-topup`.
 *
 * Most of the start time is loading code. The compile cache makes every start but the first faster. It
 * must be on before other modules are imported.
 *
 * A Node version that is too old also runs this file, so the code before the version check must run on
 * Node 14. `import { enableCompileCache }` would fail there, because `node:module` did not have it.
 */
import * as Module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `messaging-topup needs Node 22.19 or newer, and this is ${process.version}.\n`
  )
  process.exitCode = 2
} else {
  Module.enableCompileCache()
  void import("./cli/Process.ts")
}
