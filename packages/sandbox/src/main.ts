#!/usr/bin/env node
/**
 * The command `messaging-topup-sandbox`.
 *
 * Loading the code takes most of the start-up time. The compile cache makes every start after the
 * first faster. It must be enabled before other modules are imported.
 *
 * An old Node also runs this file, to print the error. So everything before the check must work
 * on Node 14. A named import of `enableCompileCache` would fail there before the check.
 */
import * as Module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `messaging-topup-sandbox needs Node 22.19 or newer, and this is ${process.version}.\n`
  )
  process.exitCode = 2
} else {
  Module.enableCompileCache()
  void import("./Command.ts").then(({ run }) => run())
}
