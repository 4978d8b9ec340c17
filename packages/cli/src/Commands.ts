/** The program: its commands, each of which is loaded when it runs. */
import {
  exitsHelp,
  general,
  helpOf,
  type Program,
  runMain,
  startNamed,
  type Subcommand
} from "@messaging-topup/command"
import { setFlagsFromString } from "node:v8"
import { program, signalled, subcommand, version } from "./CommandFile.ts"
import { explain, type CommandError } from "./CommandError.ts"

const commands = new Map<string, Subcommand<CommandError>>([
  subcommand(
    "sandbox",
    "Starts a mock server of the Messaging and Top-up Service",
    () => import("./commands/Sandbox.ts")
  ),
  subcommand(
    "run",
    "Sends the rows of a file that were not sent before",
    () => import("./commands/Run.ts")
  ),
  subcommand(
    "results",
    "Writes every row of the file with what became of it, as CSV",
    () => import("./commands/Results.ts")
  ),
  subcommand(
    "report",
    "Writes a report of the campaign as one page of HTML",
    () => import("./commands/Report.ts")
  ),
  subcommand("sends", "Lists what was sent, by whomever", () => import("./commands/Sends.ts")),
  subcommand(
    "resolve",
    "Decides about sends whose outcome is unknown",
    () => import("./commands/Resolve.ts")
  ),
  subcommand("prune", "Deletes what the journal knows", () => import("./commands/Prune.ts")),
  subcommand(
    "init",
    "Creates the journal, once, if nothing was sent before",
    () => import("./commands/Init.ts")
  )
])

const help = `Usage: ${program} <command> [options]

Sends SMS from lists, each at most once, even after crashes; starts a sandbox for tests; and decides about sends of the MCP server and of programs, too. The service's address and token come from MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN.

${[...commands].map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`).join("\n")}

${program} <command> --help lists the options of a command. ${exitsHelp(["done", "failed", "usage", "notAllSent", "stopped", ...signalled])}

${helpOf(general)}`

export const messagingTopup: Program<CommandError> = {
  start: (args) => startNamed({ name: program, version, help, options: general }, commands, args),
  explain
}

export const runAsProcess = (): void => {
  // While its heap is small, V8 sees rows survive, and from then on puts all rows among its old objects, which
  // only a full collection frees: 90 MiB more for 150,000 rows. Node 22, 24 and 26 know the flag.
  setFlagsFromString("--no-allocation-site-pretenuring")
  runMain(messagingTopup)
}
