#!/usr/bin/env node
/**
 * The command `messaging-topup-mcp`.
 *
 * Loading is nearly all of the start. From the second start on, the code comes compiled; for that
 * the cache has to be on before anything else is loaded.
 */
import { enableCompileCache } from "node:module"

enableCompileCache()

void import("./Command.ts").then(({ main }) => main())
