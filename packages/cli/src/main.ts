#!/usr/bin/env node
/** The command `messaging-topup`. */
import { startProgram } from "@messaging-topup/command/start"

startProgram("messaging-topup", () =>
  import("./Commands.ts").then(({ runAsProcess }) => runAsProcess())
)
