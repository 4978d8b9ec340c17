#!/usr/bin/env node
/** The command `messaging-topup-mcp`. */
import { startProgram } from "@messaging-topup/command/start"

startProgram("messaging-topup-mcp", () =>
  import("./Command.ts").then(({ runAsProcess }) => runAsProcess())
)
