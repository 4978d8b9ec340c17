/**
 * The subcommands. The code of a subcommand is loaded only when it runs.
 */
import {
  didYouMean,
  general,
  helpOf,
  type Options,
  read,
  UsageError,
  type Values,
  versionOf
} from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import { exitCodes, exitCodesHelp } from "./ExitCodes.ts"
import type { Failure } from "./Failure.ts"
import * as Flags from "./Flags.ts"
import type { Invocation } from "./Invocation.ts"
import { print } from "./Output.ts"

/** Returns the exit code. */
type Run = Effect.Effect<number, Failure, Invocation>

const program = "messaging-topup-campaign"

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
  /** What its own help says instead. */
  readonly description?: string
  readonly usage?: string
  readonly examples?: string
}

interface Subcommand {
  readonly about: string
  readonly start: (args: ReadonlyArray<string>) => Run
}

const subcommand = <V extends Values<typeof general>>(
  name: string,
  { about, description = about, examples = "", usage = "[options]" }: About,
  options: Options<V>,
  load: () => Promise<(input: NoInfer<V>) => Run>
): readonly [string, Subcommand] => {
  const command = `${program} ${name}`
  const help = `Usage: ${command} ${usage}\n\n${description}\n\n${helpOf(options)}${examples}`
  const run = (input: V) => Effect.flatMap(Effect.promise(load), (handler) => handler(input))
  return [name, { about, start: (args) => start(command, help, options, args, run) }]
}

const state = () => import("./commands/State.ts")

const subcommands = new Map<string, Subcommand>([
  subcommand(
    "preview",
    {
      about: "Shows the totals of a file of rows. Sends and stores nothing",
      usage: "<rows.csv> [options]"
    },
    { ...Flags.file, ...general },
    () => import("./commands/Preview.ts").then(({ preview }) => preview)
  ),
  subcommand(
    "run",
    {
      about: "Sends a file of rows",
      description:
        "Sends a file of rows: shows its totals, asks, then sends. Columns: recipient, message, and optionally sender_id, webhook_url, scheduled_time, key. A row without a key gets one, made of its content and its number among equal rows. So two equal rows are two SMS, and a second run of the same file sends nothing twice.",
      usage: "<rows.csv> [options]",
      examples: `

Try it; nothing is really sent:
  ${program} run rows.csv --sandbox
Send 20 SMS per second:
  ${program} run rows.csv --messages-per-second 20`
    },
    {
      ...Flags.file,
      ...Flags.campaignOfFile,
      ...Flags.yes,
      ...Flags.queue,
      ...Flags.service,
      ...Flags.journal,
      ...Flags.sending,
      ...general
    },
    () => import("./commands/Run.ts").then(({ run }) => run)
  ),
  subcommand(
    "work",
    {
      about: "Sends rows from the queue, as one of many workers",
      description:
        "Sends the rows that run --queue and resume --queue put into the queue, until it is stopped. Start as many workers as you want on one PostgreSQL"
    },
    { ...Flags.journal, ...Flags.sending, ...general },
    () => import("./commands/Work.ts").then(({ work }) => work)
  ),
  subcommand(
    "list",
    { about: "Lists the campaigns of the journal" },
    { ...Flags.zone, ...Flags.journal, ...general },
    () => state().then(({ list }) => list)
  ),
  subcommand(
    "status",
    { about: "Shows the counts of a campaign, also while it is being sent" },
    { ...Flags.campaign, ...Flags.journal, ...general },
    () => state().then(({ status }) => status)
  ),
  subcommand(
    "resume",
    { about: "Sends the remaining rows of a campaign" },
    {
      ...Flags.campaign,
      ...Flags.queue,
      ...Flags.service,
      ...Flags.journal,
      ...Flags.sending,
      ...general
    },
    () => import("./commands/Resume.ts").then(({ resume }) => resume)
  ),
  subcommand(
    "pause",
    { about: "Pauses a campaign in all processes until it is resumed" },
    { ...Flags.campaign, ...Flags.journal, ...general },
    () => state().then(({ pause }) => pause)
  ),
  subcommand(
    "cancel",
    { about: "Stops a campaign permanently; its pending rows are never sent" },
    { ...Flags.campaign, ...Flags.yes, ...Flags.journal, ...general },
    () => state().then(({ cancel }) => cancel)
  ),
  subcommand(
    "failures",
    { about: "Lists the rows that were rejected, or whose outcome is unknown" },
    { ...Flags.campaign, ...Flags.csv, ...Flags.journal, ...general },
    () => import("./commands/Results.ts").then(({ failures }) => failures)
  ),
  subcommand(
    "results",
    { about: "Lists all rows with their outcomes" },
    { ...Flags.campaign, ...Flags.csv, ...Flags.zone, ...Flags.journal, ...general },
    () => import("./commands/Results.ts").then(({ results }) => results)
  ),
  subcommand(
    "resolve-unknown",
    { about: "Decides on rows of unknown outcome" },
    {
      ...Flags.campaign,
      ...Flags.decision,
      ...Flags.chosen,
      ...Flags.yes,
      ...Flags.journal,
      ...general
    },
    () => import("./commands/ResolveUnknown.ts").then(({ resolveUnknown }) => resolveUnknown)
  ),
  subcommand(
    "retry",
    {
      about: "Takes rejected rows up again",
      description:
        "Takes rejected rows up again, after their cause was removed: they are pending, and resume sends them. Shows how many rows each reason has, and asks",
      usage: "--campaign <id> --rejected [options]"
    },
    {
      ...Flags.campaign,
      ...Flags.retried,
      ...Flags.chosen,
      ...Flags.yes,
      ...Flags.journal,
      ...general
    },
    () => import("./commands/Retry.ts").then(({ retry }) => retry)
  ),
  subcommand(
    "reconcile",
    { about: "Reads the status of sent rows from the service" },
    {
      ...Flags.campaign,
      ...Flags.final,
      ...Flags.reads,
      ...Flags.service,
      ...Flags.journal,
      ...general
    },
    () => import("./commands/Reconcile.ts").then(({ reconcile }) => reconcile)
  ),
  subcommand(
    "report",
    {
      about: "Writes a report as one page of HTML",
      description:
        "Writes a report as one page of HTML: counts, sends over time, failures, rows of unknown outcome. The page makes no network request"
    },
    { ...Flags.campaign, ...Flags.page, ...Flags.zone, ...Flags.journal, ...general },
    () => import("./commands/Report.ts").then(({ report }) => report)
  ),
  subcommand(
    "export",
    {
      about: "Writes the journal to one file that can be moved",
      description:
        "Writes the journal as it is now to one new file, also while a campaign is being sent. That file can be moved and copied; the journal in use cannot, because its newest writes are in other files beside it. For SQLite"
    },
    { ...Flags.target, ...Flags.journal, ...general },
    () => import("./commands/Export.ts").then(({ exportJournal }) => exportJournal)
  )
])

const help = `Usage: ${program} <command> [options]

Sends many SMS, each at most once, even after crashes. ${exitCodesHelp} The service's address and token come from MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN.

${[...subcommands].map(([name, { about }]) => `  ${name.padEnd(16)} ${about}`).join("\n")}

${program} <command> --help lists the options of a command.

${helpOf(general)}`

/** Runs the subcommand that the first argument names; without arguments, prints the help. */
export const run = (args: ReadonlyArray<string>): Run => {
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
