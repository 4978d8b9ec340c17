/** The command and its subcommands. The code of a subcommand is loaded only when it runs. */
import {
  didYouMean,
  general,
  helpOf,
  type Options,
  read,
  UsageError,
  type Values,
  versionOf
} from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { codeOfFailure, exitCodes, exitCodesHelp, type Failure, textOf } from "./Failure.ts"
import * as Flags from "./Flags.ts"
import { Invocation } from "./Invocation.ts"
import { loggerOf, note, print } from "./Output.ts"
import * as Signals from "./Signals.ts"

/** Returns the exit code. */
type Run = Effect.Effect<number, Failure, Invocation>

const program = "messaging-topup"

/** Adds where the help is, in the same line. */
const seeHelp = (command: string, problem: string) =>
  new UsageError({ problem: `${problem}${/[.?]$/.test(problem) ? "" : "."} See ${command} --help` })

/** Reads the arguments of a command, and runs it unless they ask for its help or the version. */
const start = Effect.fnUntraced(function* <V extends Values<typeof general>>(
  command: string,
  help: string,
  options: Options<V>,
  args: ReadonlyArray<string>,
  run: (input: V) => Run
): Effect.fn.Return<number, Failure, Invocation> {
  const request = yield* Effect.mapError(read(options, args), ({ problem }) =>
    seeHelp(command, problem)
  )
  switch (request._tag) {
    case "Help":
      yield* print(help)
      return exitCodes.done
    case "Version":
      yield* print(yield* versionOf(new URL("../../package.json", import.meta.url)))
      return exitCodes.done
    case "Run":
      return yield* run(request.values)
  }
})

interface About {
  readonly about: string
  readonly usage: string
  /** What its own help adds. */
  readonly details?: string
}

interface Subcommand {
  readonly about: string
  readonly start: (args: ReadonlyArray<string>) => Run
}

const subcommand = <V extends Values<typeof general>>(
  name: string,
  { about, details = "", usage }: About,
  options: Options<V>,
  load: () => Promise<(input: NoInfer<V>) => Run>
): readonly [string, Subcommand] => {
  const command = `${program} ${name}`
  const help = `Usage: ${command} ${usage} [options]\n\n${about}.${details}\n\n${helpOf(options)}`
  const run = (input: V) => Effect.flatMap(Effect.promise(load), (handler) => handler(input))
  return [name, { about, start: (args) => start(command, help, options, args, run) }]
}

const subcommands = new Map<string, Subcommand>([
  subcommand(
    "run",
    {
      about: "Sends the rows of a file that were not sent before",
      usage: "list.csv",
      details: ` Shows what it would send, asks, and sends. Run again, it goes on.

Columns: recipient, message, and optionally sender_id, webhook_url, scheduled_time, key. A row without a key gets one, made of its content: a row whose text has changed is a new row.

Try it; nothing is really sent:
  ${program} run list.csv --sandbox
Send 20 SMS per second:
  ${program} run list.csv --messages-per-second 20`
    },
    Flags.run,
    () => import("./commands/Run.ts").then(({ run }) => run)
  ),
  subcommand(
    "results",
    {
      about: "Writes every row of the file with what became of it, as CSV",
      usage: "list.csv",
      details:
        " It has the file's own columns, then line, outcome, message_id and reason. A cell that a spreadsheet would read as a formula begins with '"
    },
    Flags.results,
    () => import("./commands/Results.ts").then(({ results }) => results)
  ),
  subcommand(
    "report",
    {
      about: "Writes a report of the campaign as one page of HTML",
      usage: "[list.csv]",
      details:
        " It has counts, outcomes over time, reasons, and the rows of unknown outcome. With the file, it also says how many rows could not be sent. The page makes no network request"
    },
    Flags.report,
    () => import("./commands/Report.ts").then(({ report }) => report)
  ),
  subcommand(
    "resolve",
    {
      about: "Decides about rows whose outcome is unknown",
      usage: "[list.csv] --sent|--not-sent|--resend",
      details: " With a file, about those of its rows; a part of the list is enough"
    },
    Flags.resolve,
    () => import("./commands/Resolve.ts").then(({ resolve }) => resolve)
  ),
  subcommand(
    "prune",
    {
      about: "Deletes what the journal knows of a campaign",
      usage: "[list.csv]",
      details: " Its name stays, and running it again is refused"
    },
    Flags.prune,
    () => import("./commands/Prune.ts").then(({ prune }) => prune)
  )
])

const help = `Usage: ${program} <command> [options]

Sends many SMS, each at most once, even after crashes. ${exitCodesHelp} The service's address and token come from MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN.

${[...subcommands].map(([name, { about }]) => `  ${name.padEnd(9)} ${about}`).join("\n")}

${program} <command> --help lists the options of a command.

${helpOf(general)}`

/** Runs the subcommand that the first argument names; without arguments, prints the help. */
const runNamed = (args: ReadonlyArray<string>): Run => {
  const [name = "--help", ...rest] = args
  if (name.startsWith("-")) {
    return start(program, help, general, [name, ...rest], () =>
      Effect.as(print(help), exitCodes.done)
    )
  }
  const found = subcommands.get(name)
  // The word is not repeated: it could be a secret in the wrong place.
  return found === undefined
    ? Effect.fail(
        seeHelp(program, `There is no such command${didYouMean(name, [...subcommands.keys()])}`)
      )
    : found.start(rest)
}

/** Prints only the name of a defect: its text can contain an SMS text. */
const explainDefect = (defect: unknown) =>
  Effect.as(
    note(`The command failed (${defect instanceof Error ? defect.name : "unknown"})`),
    exitCodes.failed
  )

/** Runs the command, and returns the exit code. */
export const run = (invocation: Invocation["Service"]): Effect.Effect<number> =>
  runNamed(invocation.args).pipe(
    Effect.catch((failure) => Effect.as(note(textOf(failure)), codeOfFailure(failure))),
    Effect.catchDefect(explainDefect),
    (command) => Signals.untilStopped(command, invocation.stop),
    Effect.provideService(Invocation, invocation),
    Effect.provideService(Logger.CurrentLoggers, new Set([loggerOf(invocation.stderr)]))
  )
