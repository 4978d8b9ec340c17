/**
 * The subcommands. The code of a subcommand is loaded only when it runs.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { EndedWith, exitCodesHelp } from "./ExitCodes.ts"
import * as Flags from "./Flags.ts"

/** Turns an exit code other than 0 into a failure, because `effect/cli` returns no exit codes. */
const failUnlessZero = <E, R>(code: Effect.Effect<number, E, R>) =>
  Effect.flatMap(code, (value) =>
    value === 0 ? Effect.void : Effect.fail(new EndedWith({ code: value }))
  )

const lazily =
  <M, Input, E, R>(
    load: () => Promise<M>,
    handlerOf: (module: M) => (input: Input) => Effect.Effect<number, E, R>
  ) =>
  (input: Input) =>
    Effect.promise(load).pipe(
      Effect.flatMap((module) => handlerOf(module)(input)),
      failUnlessZero
    )

const preview = Command.make(
  "preview",
  Flags.file,
  lazily(
    () => import("./commands/Preview.ts"),
    (Preview) => Preview.preview
  )
).pipe(Command.withDescription("Show the totals of a file of rows. Sends and stores nothing."))

const run = Command.make(
  "run",
  {
    ...Flags.file,
    ...Flags.campaignOfFile,
    yes: Flags.yes,
    ...Flags.queue,
    ...Flags.service,
    ...Flags.journal,
    ...Flags.sending
  },
  lazily(
    () => import("./commands/Run.ts"),
    (Run) => Run.run
  )
).pipe(
  Command.withDescription(
    "Send a file of rows: shows its totals, asks, then sends. Columns: recipient, message, and optionally sender_id, webhook_url, scheduled_time, key. A row without a key gets one, made of its content and its number among equal rows. So two equal rows are two SMS, and a second run of the same file sends nothing twice."
  ),
  Command.withShortDescription("Send a file of rows"),
  Command.withExamples([
    {
      command: "messaging-topup-campaign run rows.csv --sandbox",
      description: "Try it: nothing is really sent"
    },
    { command: "messaging-topup-campaign run rows.csv --messages-per-second 20" }
  ])
)

const resume = Command.make(
  "resume",
  { ...Flags.campaign, ...Flags.queue, ...Flags.service, ...Flags.journal, ...Flags.sending },
  lazily(
    () => import("./commands/Resume.ts"),
    (Resume) => Resume.resume
  )
).pipe(Command.withDescription("Send the remaining rows of a campaign"))

const work = Command.make(
  "work",
  { ...Flags.journal, ...Flags.sending },
  lazily(
    () => import("./commands/Work.ts"),
    (Work) => Work.work
  )
).pipe(
  Command.withDescription(
    "Send the rows that run --queue and resume --queue put into the queue, until it is stopped. Start as many workers as you want on one PostgreSQL"
  ),
  Command.withShortDescription("Send rows from the queue, as one of many workers")
)

const state = () => import("./commands/State.ts")

const status = Command.make(
  "status",
  { ...Flags.campaign, ...Flags.journal },
  lazily(state, (State) => State.status)
).pipe(Command.withDescription("Show the counts of a campaign, also while it is being sent"))

const pause = Command.make(
  "pause",
  { ...Flags.campaign, ...Flags.journal },
  lazily(state, (State) => State.pause)
).pipe(Command.withDescription("Pause a campaign in all processes until it is resumed"))

const cancel = Command.make(
  "cancel",
  { ...Flags.campaign, yes: Flags.yes, ...Flags.journal },
  lazily(state, (State) => State.cancel)
).pipe(Command.withDescription("Stop a campaign permanently; its pending rows are never sent"))

const failures = Command.make(
  "failures",
  { ...Flags.campaign, csv: Flags.csv, ...Flags.journal },
  lazily(
    () => import("./commands/Failures.ts"),
    (Failures) => Failures.failures
  )
).pipe(Command.withDescription("List the rows that were rejected, or whose outcome is unknown"))

const resolveUnknown = Command.make(
  "resolve-unknown",
  { ...Flags.campaign, ...Flags.decision, ...Flags.journal },
  lazily(
    () => import("./commands/ResolveUnknown.ts"),
    (ResolveUnknown) => ResolveUnknown.resolveUnknown
  )
).pipe(Command.withDescription("Decide on rows of unknown outcome"))

const reconcile = Command.make(
  "reconcile",
  { ...Flags.campaign, ...Flags.final, ...Flags.service, ...Flags.journal },
  lazily(
    () => import("./commands/Reconcile.ts"),
    (Reconcile) => Reconcile.reconcile
  )
).pipe(Command.withDescription("Read the status of sent rows from the service"))

const report = Command.make(
  "report",
  { ...Flags.campaign, ...Flags.page, ...Flags.journal },
  lazily(
    () => import("./commands/Report.ts"),
    (Report) => Report.report
  )
).pipe(
  Command.withDescription(
    "Write a report as one page of HTML: counts, sends over time, failures, rows of unknown outcome. The page makes no network request"
  ),
  Command.withShortDescription("Write a report as one page of HTML")
)

export const tree = Command.make("messaging-topup-campaign").pipe(
  Command.withDescription(
    `Sends many SMS, each at most once, even after crashes. ${exitCodesHelp} The service's address and token come from MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN.`
  ),
  Command.withSubcommands([
    preview,
    run,
    work,
    status,
    resume,
    pause,
    cancel,
    failures,
    resolveUnknown,
    reconcile,
    report
  ])
)
