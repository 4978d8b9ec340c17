/** The program: its commands, each of which is loaded when it runs. */
import {
  didYouMean,
  exitCodes,
  exitsHelp,
  general,
  helpOf,
  print,
  type Program,
  runMain,
  seeHelp,
  start,
  UsageError
} from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { setFlagsFromString } from "node:v8"
import { type Command, program, version } from "./CommandFile.ts"
import { explain, type CommandError } from "./CommandError.ts"

/** What each command is for, and its file. */
const commands = new Map<
  string,
  readonly [about: string, load: () => Promise<{ readonly command: Command }>]
>([
  [
    "sandbox",
    [
      "Starts a mock server of the Messaging and Top-up Service",
      () => import("./commands/Sandbox.ts")
    ]
  ],
  [
    "run",
    ["Sends the rows of a file that were not sent before", () => import("./commands/Run.ts")]
  ],
  [
    "results",
    [
      "Writes every row of the file with what became of it, as CSV",
      () => import("./commands/Results.ts")
    ]
  ],
  [
    "report",
    ["Writes a report of the campaign as one page of HTML", () => import("./commands/Report.ts")]
  ],
  ["sends", ["Lists the sends in the journal", () => import("./commands/Sends.ts")]],
  [
    "resolve",
    ["Decides about sends whose outcome is unknown", () => import("./commands/Resolve.ts")]
  ],
  ["prune", ["Deletes what the journal knows", () => import("./commands/Prune.ts")]],
  [
    "init",
    ["Creates the journal, once, if nothing was sent before", () => import("./commands/Init.ts")]
  ]
])

const help = `Usage: ${program} <command> [options]

Sends SMS from lists, each at most once, even after crashes; starts a sandbox for tests; and decides about sends of the MCP server and of programs, too. The service's address and token come from MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN, or from the files that MESSAGING_TOPUP_BASE_URL_FILE and MESSAGING_TOPUP_TOKEN_FILE name; MESSAGING_TOPUP_TIMEOUT, such as "2 s", is how long a request may take.

${[...commands].map(([name, [about]]) => `  ${name.padEnd(9)} ${about}`).join("\n")}

${program} <command> --help lists the options of a command. ${exitsHelp(Struct.keys(exitCodes))}

${helpOf(general)}`

const run = () => Effect.as(print(help), exitCodes.done)

export const messagingTopup: Program<CommandError> = {
  start: ([name = "--help", ...rest]) => {
    if (name.startsWith("-")) {
      return start({ name: program, version, help, options: general, run }, [name, ...rest])
    }
    const [about, load] = commands.get(name) ?? []
    if (about !== undefined && load !== undefined) {
      return Effect.flatMap(Effect.promise(load), ({ command }) => command.start(name, about, rest))
    }
    // The word is not repeated: it could be a secret in the wrong place.
    const problem = `There is no such command${didYouMean(name, [...commands.keys()])}`
    return Effect.fail(seeHelp(program, new UsageError({ problem })))
  },
  explain
}

export const runAsProcess = (): void => {
  // While its heap is small, V8 sees rows survive, and from then on puts all rows among its old objects, which
  // only a full collection frees: 90 MiB more for 150,000 rows. Node 22, 24 and 26 know the flag.
  setFlagsFromString("--no-allocation-site-pretenuring")
  runMain(messagingTopup)
}
