/** `run`: sends the rows of a file that were not sent before. */
import {
  exitCodes,
  Invocation,
  note,
  refuse,
  signals,
  untilStopped
} from "@messaging-topup/command"
import { MessagingTopup } from "@messaging-topup/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { agreed, commandOf, stopped, stopping } from "../CommandFile.ts"
import { cannotRun, type CommandError, explain } from "../CommandError.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import * as MessagingService from "../run/MessagingService.ts"
import * as Plan from "../run/Plan.ts"
import { declined, questionOf, tellPlan, warningsOf } from "../run/PlanText.ts"
import { endWithNothing } from "../run/NothingToSend.ts"
import { type Flags, groups, isForgotten, options, settingsOf } from "../run/RunOptions.ts"
import { codeOf, type Ending, sendList } from "../run/SendList.ts"
import { shellLine } from "../words/ShellLine.ts"

/** Shows what a run would do. Without a journal, nothing was sent. */
const dryRun = Effect.fnUntraced(function* (settings: Plan.RunSettings, flags: Flags) {
  const { journal, knows } = yield* ChosenJournal.look(settings.location)
  const named = { ...settings, flags }
  const isThere = MessagingService.ifSet(ChosenJournal.requireAddress(settings.location))
  const looked = Effect.all([Campaign.find(named), Plan.make(settings)])
  const [found, plan] = yield* Effect.provideContext(Effect.andThen(isThere, looked), journal)
  yield* tellPlan(settings, plan, { knows, showsTexts: true })
  for (const { says } of warningsOf(plan, settings, found)) yield* note(says)
  if (found.otherFolder !== undefined) yield* note(found.otherFolder)
  const code = codeOf({ ...plan.known, free: 0, invalid: plan.invalid })
  return yield* Effect.provideContext(ChosenJournal.reading(Effect.succeed(code)), journal)
})

/** What is sent, after the plan was shown and agreed to; or the exit code, if nothing is. */
const agree = Effect.fnUntraced(function* (
  settings: Plan.SendSettings,
  flags: Flags,
  knows: ChosenJournal.Knowledge
) {
  const { destination, list, location } = settings
  // Before the plan: what went to another address is not sent.
  yield* ChosenJournal.requireAddress(location)
  const found = yield* Campaign.find({ ...settings, flags })
  const { otherFolder } = found
  const plan = yield* Plan.make(settings)
  yield* tellPlan(settings, plan, { knows, showsTexts: !flags.yes })
  const sendsNothing = plan.states.free + plan.states["in-flight"] === 0
  if (otherFolder !== undefined && (sendsNothing || !flags.yes)) yield* note(otherFolder)
  if (sendsNothing) return yield* endWithNothing(settings, plan, flags)
  const warnings = warningsOf(plan, settings, found)
  if (flags.yes) {
    // What the journal knows may be of another list.
    const problems =
      otherFolder === undefined ? warnings.flatMap(({ refusal }) => refusal ?? []) : [otherFolder]
    if (problems.length > 0) {
      return yield* cannotRun(["Nothing was sent", ...problems].join(". "))
    }
  }
  const isAnswered = flags.yes || plan.states.free === 0
  if (isAnswered) for (const { says } of warnings) yield* note(says)
  const question = questionOf(plan, warnings, destination, list, { location, knows })
  const isAgreed = yield* agreed(question, { yes: isAnswered }, declined(plan, list))
  if (!isAgreed) return exitCodes.failed
  const saved = yield* List.savedSince([list.stopList, list])
  if (saved !== undefined) return yield* cannotRun(`Nothing was sent: ${saved}. Run again`)
  return { plan, found }
})

/** Only who agreed begins a journal. */
const agreeAndSend = Effect.fnUntraced(function* (
  settings: Plan.SendSettings,
  flags: Flags,
  ending: Ending
) {
  const { location } = settings
  const { knows, journal: looked } =
    flags.yes && !isForgotten(flags)
      ? yield* ChosenJournal.begun(location)
      : yield* ChosenJournal.look(location)
  const given = yield* Effect.provideContext(agree(settings, flags, knows), looked)
  if (typeof given === "number") return given
  const send = Effect.gen(function* () {
    const begun = yield* Campaign.begin({ ...settings, flags })
    // Another process may have begun it since the question.
    for (const what of ["otherFolder", "noStopList"] as const) {
      if (begun[what] === given.found[what]) continue
      return yield* cannotRun(`Nothing was sent. ${begun[what]}`)
    }
    const asked = { ...flags, isForgotten: isForgotten(flags) }
    return yield* sendList(settings, given.plan, asked, ending)
  })
  return yield* Effect.provideContext(
    send,
    knows === "nothing" ? yield* ChosenJournal.begin(location) : looked
  )
})

/** Keeps the inbox open for a person, until Ctrl+C. A script must end. */
const stayOpen = Effect.fnUntraced(function* (code: number, inbox: string) {
  const { stop, terminal } = yield* Invocation
  if (!terminal.canAsk) return code
  yield* note(`The inbox stays open until Ctrl+C: ${inbox}`)
  const signal = yield* stop
  yield* note("The inbox is closed")
  return signal === "SIGINT" ? code : exitCodes[signal]
})

/** Tells last why a run must not be run again, if it must not. */
const endedBy =
  (ending: Ending) =>
  <R>(running: Effect.Effect<After, CommandError, R>) =>
    running.pipe(
      Effect.catchIf(
        () => ending.because !== undefined,
        (failure) => Effect.as(note(explain(failure).text), Effect.succeed(exitCodes.stopped))
      ),
      Effect.flatMap((after) =>
        ending.because === undefined
          ? Effect.succeed(after)
          : Effect.as(note(ending.because), Effect.as(after, exitCodes.stopped))
      )
    )

/** What comes after the last request, and the exit code: no signal interrupts that. */
type After = Effect.Effect<number, never, Invocation>

const run = Effect.fnUntraced(function* (
  flags: Flags,
  ending: Ending
): Effect.fn.Return<After, CommandError, Invocation | Scope> {
  const settings = yield* settingsOf(flags)
  if (flags.dryRun) return Effect.succeed(yield* dryRun(settings, flags))
  const { encoding, name } = settings.list
  if (flags.yes && encoding === "windows-1252") {
    return yield* refuse(
      `${name} is not UTF-8, and only a person can see whether it is Windows-1252: save it as CSV UTF-8, or run it without --yes`
    )
  }
  // The service is first: wrong settings must not create a journal.
  const connections = Math.max(100, settings.rates.concurrency)
  const sandbox = flags.sandbox ? yield* MessagingService.sandbox(connections) : undefined
  const service = yield* Layer.build(sandbox?.service ?? MessagingService.real(connections))
  // Only a service that is not ours has none.
  const { address = "the service" } = Context.get(service, MessagingTopup)
  const destination = { service: address, name: flags.sandbox ? "the sandbox" : address }
  const sending = agreeAndSend({ ...settings, destination }, flags, ending)
  const code = yield* Effect.provideContext(sending, service)
  return sandbox === undefined ? Effect.succeed(code) : stayOpen(code, sandbox.inbox)
})

export const command = commandOf<Flags>({
  usage: "list.csv [options]",
  details: `Shows what it would send, asks, and sends. Run again, it goes on.

Columns: recipient, message, and optionally sender_id, webhook_url, scheduled_time, key. Without a column key, a key is made of the number, text, sender and time of each row: a row whose text has changed is a new row.

Try it; nothing is really sent:
  ${shellLine("run", "list.csv", "--sandbox")}
Send 20 SMS per second:
  ${shellLine("run", "list.csv", "--messages-per-second", "20")}`,
  options,
  groups,
  exits: ["notAllSent", "stopped", ...signals],
  run: (flags) =>
    Effect.suspend(() => {
      const ending: Ending = {}
      return untilStopped(run(flags, ending), (signal) =>
        Effect.map(
          ending.hasBegun === true ? stopping(signal) : stopped(signal, "Nothing was sent"),
          Effect.succeed
        )
      ).pipe(endedBy(ending), Effect.flatten, Effect.scoped)
    })
})
