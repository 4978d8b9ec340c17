/** `run`: sends the rows of a file that were not sent before. */
import { SendJournal } from "@messaging-topup/journal/internal"
import { open } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Campaign from "../Campaign.ts"
import { confirm } from "../Confirm.ts"
import { cannotRun, exitCodes, type Failure, refuse } from "../Failure.ts"
import type { RunFlags } from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import * as MessagingService from "../MessagingService.ts"
import { note } from "../Output.ts"
import * as Plan from "../Plan.ts"
import { questionOf, reportPlan } from "../Question.ts"
import { codeOf, sendList } from "../SendList.ts"
import { type Settings, settingsOf } from "../Settings.ts"

/** Shows what a run would do. Without a journal, nothing was sent. */
const dryRun = Effect.fnUntraced(function* (settings: Settings) {
  const { campaign, list, location } = settings
  const none = open({ _tag: "Memory" })
  const journal = !Journal.exists(location)
    ? none
    : Layer.catchTag(open(location), "JournalUnavailable", (error) =>
        error.problem === "missing" ? none : Layer.effect(SendJournal, Effect.fail(error))
      )
  const looked = Effect.andThen(Campaign.check(campaign, list), Plan.make(settings))
  // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
  const plan = yield* Effect.provide(looked, journal)
  yield* reportPlan(settings, plan, true)
  return plan.invalid + plan.states.changed > 0 ? exitCodes.notAllSent : exitCodes.done
})

const repeatsProblem =
  "Nothing was sent: people would get another SMS of this campaign. If they should, give --allow-repeats"

const elsewhereProblem =
  "Nothing was sent: people would get a text again that they got in the last 30 days, under another name. If they should, give --allow-repeats"

const requireJournal = ({ location }: Settings, flags: RunFlags) =>
  Journal.exists(location) || !Journal.mustExistFor(flags)
    ? Effect.void
    : cannotRun(
        `There is no journal at ${Journal.nameOf(location)}, and nothing was sent: without it, everything would be sent again. If nothing was sent before, give --new-journal`
      )

const onceMore =
  ". To send the same list once more, such as next month, give another name with --campaign"

const send = Effect.fnUntraced(function* (settings: Settings, flags: RunFlags) {
  const { campaign, list } = settings
  const { campaigns } = yield* SendJournal
  const isOther = yield* Campaign.isOfAnotherFolder(campaign, flags)
  yield* Campaign.check(campaign, list)
  yield* campaigns.begin(campaign)
  const before = yield* list.source.version
  const plan = yield* Plan.make(settings)
  yield* reportPlan(settings, plan, !flags.yes)
  if (plan.states.free + plan.states["in-flight"] === 0) {
    const isAllSent = plan.rows > 0 && plan.states.sent === plan.rows
    yield* note(`Nothing to send${isAllSent ? onceMore : ""}`)
    return codeOf(plan.invalid, plan.states)
  }
  // All SMS of a trial go to one phone.
  const isTrial = flags.to !== undefined
  if (flags.yes && isOther) return yield* cannotRun(Campaign.otherFolder)
  if (flags.yes && !flags.allowRepeats) {
    if (plan.again > 0) return yield* cannotRun(repeatsProblem)
    if (plan.elsewhere.length > 0) return yield* cannotRun(elsewhereProblem)
  }
  if (isOther && !flags.yes) yield* note(Campaign.otherFolder)
  if (
    !flags.yes &&
    plan.states.free > 0 &&
    !(yield* confirm(questionOf(campaign, plan, isTrial)))
  ) {
    yield* note("Nothing was sent")
    return exitCodes.failed
  }
  if ((yield* list.source.version) !== before) {
    return yield* cannotRun(
      `${list.source.name}: the file changed after it was read, and nothing was sent: run again`
    )
  }
  // A trial may be repeated with another text.
  if (!flags.sandbox && !isTrial) yield* Campaign.begin(campaign, list, flags)
  return yield* sendList(settings, plan, flags)
})

export const run = Effect.fnUntraced(function* (
  flags: RunFlags
): Effect.fn.Return<number, Failure, Invocation> {
  const settings = yield* settingsOf(flags)
  if (flags.dryRun) return yield* dryRun(settings)
  const { encoding, source } = settings.list
  if (flags.yes && encoding === "windows-1252") {
    return yield* refuse(
      `${source.name} is not UTF-8, and only a person can see whether it is Windows-1252: save it as CSV UTF-8, or run it without --yes`
    )
  }
  yield* requireJournal(settings, flags)
  const service = MessagingService.layer({
    connections: Math.max(100, settings.rates.concurrency),
    sandbox: flags.sandbox
  })
  return yield* send(settings, flags).pipe(
    // The service is built first: wrong settings must not create a journal.
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(Layer.provideMerge(open(settings.location), service))
  )
})
