/**
 * All that the options of `run` say.
 */
import { UsageError } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import { checked } from "../sending/SendManyOptions.ts"
import { requireTerminal } from "./Confirm.ts"
import { makeProblems } from "./Failure.ts"
import type { RunFlags } from "./Flags.ts"
import * as Journal from "./Journal.ts"
import * as List from "./List.ts"
import { campaignOf, quietHoursOf, sandboxPrefix, zoneOf } from "./Settings.ts"

const refuse = (problem: string) => Effect.fail(new UsageError({ problem }))

const requirePerson = (flags: RunFlags) => {
  if (flags.yes || flags.dryRun) return Effect.void
  return List.isStdin(flags)
    ? refuse(
        "The rows come from stdin, so nobody can answer a question: give --yes to skip the question"
      )
    : requireTerminal("nothing was sent")
}

const retryOf = ({ retry }: RunFlags) =>
  retry === undefined || retry === "rejected"
    ? Effect.succeed(retry !== undefined)
    : refuse(
        "--retry: give rejected. Rows of unknown outcome may have gone out: see resolve --help"
      )

/** Whatever is wrong is said at once, before anything is stored. */
export const prepare = Effect.fnUntraced(function* (flags: RunFlags) {
  const problems = makeProblems()
  const { check } = problems
  yield* check(requirePerson(flags))
  const campaign = yield* check(campaignOf(flags))
  if (!flags.sandbox && campaign?.startsWith(sandboxPrefix) === true) {
    yield* check(refuse(`--campaign: an id that begins with ${sandboxPrefix} needs --sandbox`))
  }
  const retryRejected = yield* check(retryOf(flags))
  const rate = yield* check(checked(flags))
  const quietHours = yield* check(quietHoursOf(flags))
  const zone = yield* check(zoneOf(flags))
  const location = yield* check(Journal.choose(flags))
  const list = yield* List.make(flags, problems)
  yield* problems.end
  return campaign === undefined ||
    retryRejected === undefined ||
    zone === undefined ||
    location === undefined ||
    list === undefined ||
    rate === undefined
    ? yield* Effect.die(new Error("a problem was not reported"))
    : { campaign, list, location, pacing: { ...rate, quietHours }, retryRejected, zone }
})

export type Prepared = Effect.Success<ReturnType<typeof prepare>>
