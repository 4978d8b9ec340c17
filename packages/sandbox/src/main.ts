#!/usr/bin/env node
/**
 * The command `messaging-topup-sandbox`.
 *
 * Loading is nearly all of the start. From the second start on, the code comes compiled; for that
 * the cache has to be on before anything else is imported.
 */
import { enableCompileCache } from "node:module"

enableCompileCache()

await import("./internal/Program.ts")
