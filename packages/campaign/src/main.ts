#!/usr/bin/env node
/**
 * The command `messaging-topup-campaign`.
 *
 * Loading is nearly all of the start. From the second start on, the code comes compiled; for that
 * the cache has to be on before anything else is imported.
 *
 * A Node that is too old runs this file too, so nothing here is newer than Node 14 but what runs after
 * the check. An import by name of what `node:module` lacks there would fail before it.
 */
import * as Module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `messaging-topup-campaign needs Node 22.19 or newer, and this is ${process.version}.\n`
  )
  process.exitCode = 2
} else {
  Module.enableCompileCache()
  void import("./cli/Process.ts")
}
