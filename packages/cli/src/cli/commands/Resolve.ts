/** `resolve`: applies a person's decision to rows of unknown outcome. */
import type { Decision } from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { counted } from "../../text/Format.ts"
import { confirm, requireTerminal } from "../Confirm.ts"
import { allOf, exitCodes, type Failure, refuse } from "../Failure.ts"
import type { ResolveFlags } from "../Flags.ts"
import type { Invocation } from "../Invocation.ts"
import * as Journal from "../Journal.ts"
import * as List from "../List.ts"
import { note, report } from "../Output.ts"
import { knownRows } from "../RowOutcome.ts"
import { campaignOf } from "../Settings.ts"

const shown: Readonly<Record<Decision, string>> = {
  sent: "sent",
  notSent: "not sent, and stay so",
  resend: "sent again by the next run"
}

const decisionOf = (flags: ResolveFlags) => {
  const [decision, ...others] = Struct.keys(shown).filter((name) => flags[name])
  return decision === undefined || others.length > 0
    ? refuse("Give one of --sent, --not-sent and --resend")
    : Effect.succeed(decision)
}

const linesOf = Effect.fnUntraced(function* ({ file, line }: ResolveFlags) {
  const lines = line?.map(Number)
  if (lines?.every((each) => Number.isSafeInteger(each) && each > 0) === false) {
    return yield* refuse("--line: give a whole number from 1")
  }
  if (lines !== undefined && file === undefined) return yield* refuse("--line needs the file")
  return lines === undefined ? undefined : new Set(lines)
})

/**
 * The keys of the rows of the file that a person can decide about: those of unknown outcome and, of lines that
 * are named, those of an earlier decision.
 */
const keysOf = (list: List.List, campaign: string, lines: ReadonlySet<number> | undefined) =>
  knownRows(list, campaign).pipe(
    Stream.filter(({ row: { line } }) => lines?.has(line) !== false),
    Stream.filter(({ row }) => row._tag !== "SkippedRow" || row.reason === "excluded"),
    Stream.map(({ standing }) =>
      lines !== undefined || standing?.state === "unknown" ? standing?.send?.key : undefined
    ),
    Stream.filter((key) => key !== undefined),
    Stream.runCollect
  )

const all = Number.MAX_SAFE_INTEGER

const question = (count: number): string =>
  `Send ${counted(count, "row")} of unknown outcome again? They may have gone out: their recipients may get a second SMS.`

const decide = Effect.fnUntraced(function* (
  campaign: string,
  decision: Decision,
  list: List.List | undefined,
  lines: ReadonlySet<number> | undefined,
  flags: ResolveFlags
) {
  const journal = yield* SendJournal
  const rows =
    list === undefined
      ? (yield* journal.campaigns.sends(campaign, { states: ["unknown"], limit: all })).map(
          ({ key }) => key
        )
      : yield* keysOf(list, campaign, lines)
  if (rows.length > 0 && decision === "resend" && !flags.yes) {
    if (!(yield* confirm(question(rows.length)))) {
      yield* note("Nothing was changed")
      return exitCodes.failed
    }
  }
  const changed = yield* journal.resolve({ campaign, keys: rows }, decision)
  if (changed === 0) yield* note("No row of unknown outcome was chosen")
  yield* report(
    { event: "Resolved", as: decision, rows: changed },
    `${counted(changed, "row")}: ${shown[decision]}`
  )
  return changed === 0 && lines !== undefined ? exitCodes.failed : exitCodes.done
})

export const resolve = Effect.fnUntraced(function* (
  flags: ResolveFlags
): Effect.fn.Return<number, Failure, Invocation> {
  const { campaign, decision, lines, list } = yield* allOf({
    decision: decisionOf(flags),
    person: flags.resend && !flags.yes ? requireTerminal("nothing was changed") : Effect.void,
    campaign: campaignOf(flags),
    lines: linesOf(flags),
    list: List.makeIfGiven(flags)
  })
  return yield* Journal.withCampaign(
    flags,
    campaign,
    decide(campaign, decision, list, lines, flags),
    list
  )
})
