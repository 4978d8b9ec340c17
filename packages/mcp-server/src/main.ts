#!/usr/bin/env node
/**
 * The command `messaging-topup-mcp`.
 *
 * Loading is nearly all of the start. From the second start on, the code comes compiled; for that
 * the cache has to be on before anything else is loaded.
 *
 * A Node that is too old runs the bundle of this file too, so nothing here is newer than Node 14 but
 * what runs after the check.
 */
import { enableCompileCache } from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `messaging-topup-mcp needs Node 22.19 or newer, and this is ${process.version}.\n`
  )
  process.exitCode = 2
} else {
  enableCompileCache()
  void import("./Command.ts").then(({ main }) => main())
}
