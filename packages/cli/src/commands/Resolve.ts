/** `resolve`: applies a person's decision to sends of unknown outcome. */
import {
  counted,
  exitCodes,
  Invocation,
  list as listOption,
  note,
  on,
  refuse,
  text,
  type Values
} from "@messaging-topup/command"
import type { Decision } from "@messaging-topup/journal"
import { nameOf, SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { declare, signalled, stoppable, worked } from "../CommandFile.ts"
import { report } from "../Events.ts"
import { allOf, cannotRun, requireTerminal } from "../Failure.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as Journal from "../journal/Journal.ts"
import { knownRows } from "../results/RowOutcome.ts"

const options = {
  ...List.fileIfAny,
  sent: on("They went out"),
  notSent: on("They did not go out, and nothing sends them"),
  resend: on(
    "They did not go out, and the next run or the same call sends them. Recipients may get a second SMS"
  ),
  line: listOption("line", "all rows", "The line of a row in its file; may be repeated"),
  id: text("id", "", "Instead of a list: the send with this id, as sends lists it"),
  key: text("key", "", "Instead of a list: the send of a program with this key"),
  yes: on("Skips the question"),
  ...List.reading,
  ...Journal.writing,
  ...Campaign.named,
  ...Journal.common
}

type Flags = Values<typeof options>

const shown: Readonly<Record<Decision, string>> = {
  sent: "sent",
  notSent: "not sent, and nothing sends it",
  resend: "free for the next run or the same call"
}

const decisionOf = (flags: Flags) => {
  const [decision, ...others] = Struct.keys(shown).filter((name) => flags[name])
  return decision === undefined || others.length > 0
    ? refuse("Give one of --sent, --not-sent and --resend")
    : Effect.succeed(decision)
}

/** What the decision is about. It is never guessed: "17" could be a file, an id and a key. */
type Target =
  | { readonly _tag: "Id"; readonly id: number }
  | { readonly _tag: "Key"; readonly key: string }
  | { readonly _tag: "Rows"; readonly campaign: string }

const targetOf = Effect.fnUntraced(function* (flags: Flags) {
  const { campaign, file, id, key } = flags
  const given = [file ?? campaign, id, key].filter((each) => each !== undefined)
  if (given.length !== 1) {
    return yield* refuse("Give one of a list (or its --campaign), --id and --key")
  }
  if (key !== undefined) return { _tag: "Key", key } satisfies Target
  if (id === undefined) {
    return { _tag: "Rows", campaign: yield* Campaign.nameOf(flags) } satisfies Target
  }
  return /^\d{1,15}$/.test(id)
    ? ({ _tag: "Id", id: Number(id) } satisfies Target)
    : yield* refuse("--id: give a whole number, as messaging-topup sends lists it")
})

const linesOf = Effect.fnUntraced(function* ({ file, line }: Flags) {
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

/** Returns whether a person agrees that somebody may get a second SMS. */
const isWanted = Effect.fnUntraced(function* (things: string, decision: Decision, { yes }: Flags) {
  if (decision !== "resend" || yes) return true
  const { terminal } = yield* Invocation
  const question = `Let ${things} go out again? They may have gone out: whoever got the SMS gets a second one.`
  if (yield* terminal.confirm(question)) return true
  yield* note("Nothing was changed")
  return false
})

const decideRows = Effect.fnUntraced(function* (
  campaign: string,
  decision: Decision,
  list: List.List | undefined,
  lines: ReadonlySet<number> | undefined,
  flags: Flags
) {
  const journal = yield* SendJournal
  const rows =
    list === undefined
      ? (yield* journal.campaigns.sends(campaign, { states: ["unknown"], limit: all })).map(
          ({ key }) => key
        )
      : yield* keysOf(list, campaign, lines)
  if (rows.length > 0 && !(yield* isWanted(counted(rows.length, "row"), decision, flags))) {
    return exitCodes.failed
  }
  const changed = yield* journal.resolve({ campaign, keys: rows }, decision)
  if (changed === 0) yield* note("No row of unknown outcome was chosen")
  yield* report(
    { event: "Resolved", as: decision, rows: changed },
    `${counted(changed, "row")}: ${shown[decision]}`
  )
  return changed === 0 && lines !== undefined ? exitCodes.failed : exitCodes.done
})

const decideOne = Effect.fnUntraced(function* (
  target: Exclude<Target, { readonly _tag: "Rows" }>,
  decision: Decision,
  flags: Flags
) {
  const journal = yield* SendJournal
  if (!(yield* isWanted("this send", decision, flags))) return exitCodes.failed
  const which = target._tag === "Id" ? { id: target.id } : { key: target.key }
  const rows = yield* journal.resolve(which, decision)
  if (rows === 0) {
    const by = target._tag === "Id" ? `the id ${target.id}` : "this key"
    const name = nameOf(yield* Journal.choose(flags))
    return yield* cannotRun(
      `No send that can be decided about has ${by} in the journal ${name}, and nothing was changed. One in flight has to become unknown first`
    )
  }
  yield* report(
    { event: "Resolved", as: decision, rows },
    `${counted(rows, "send")}: ${shown[decision]}`
  )
  return exitCodes.done
})

const resolve = Effect.fnUntraced(function* (flags: Flags) {
  const { decision, lines, list, target } = yield* allOf({
    decision: decisionOf(flags),
    person: flags.resend && !flags.yes ? requireTerminal("nothing was changed") : Effect.void,
    target: targetOf(flags),
    lines: linesOf(flags),
    list: List.makeIfGiven(flags)
  })
  if (target._tag !== "Rows") {
    return yield* Journal.opened(flags, decideOne(target, decision, flags))
  }
  const { campaign } = target
  return yield* Journal.withCampaign(
    flags,
    campaign,
    decideRows(campaign, decision, list, lines, flags),
    list
  )
})

export const command = declare({
  name: "resolve",
  usage: "list.csv | --id <id> | --key <key> --sent|--not-sent|--resend",
  details: "With a file, about those of its rows; a part of the list is enough",
  options,
  exits: [...worked, ...signalled],
  run: (flags) => stoppable(resolve(flags))
})
