#!/usr/bin/env node
/**
 * The command `messaging-topup-mcp`.
 *
 * Most of the start time is loading code. With the compile cache, the code is already compiled from
 * the second start on. The cache must be on before any other module is loaded.
 *
 * The bundle of this file must also run on a Node that is too old, so that it can say so. Until the
 * check, it uses nothing that is newer than Node 14.
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
