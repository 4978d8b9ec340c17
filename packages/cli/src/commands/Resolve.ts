/** `resolve`: applies a person's decision to sends of unknown outcome. */
import {
  choice,
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
import { type KnownSend, nameOf, SendJournal } from "@messaging-topup/journal/internal"
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

const shown: Readonly<Record<Decision, string>> = {
  sent: "sent",
  "not-sent": "not sent, and nothing sends it",
  resend: "free for the next run or the same call"
}

const options = {
  ...List.fileIfAny,
  sent: on("They went out"),
  notSent: on("They did not go out, and nothing sends them"),
  resend: on(
    "They did not go out, and the next run or the same call sends them. Recipients may get a second SMS"
  ),
  was: choice(
    Struct.keys(shown),
    "decides about unknown ones",
    "Takes back this decision of a person, while there is no later attempt"
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

const decisionOf = ({ notSent, resend, sent }: Flags) => {
  const given = { sent, "not-sent": notSent, resend }
  const [decision, ...others] = Struct.keys(given).filter((name) => given[name])
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

/** The ids of those of the sends that are rows of the file. A row that is skipped now may have been sent before. */
const idsOf = (
  list: List.List,
  campaign: string,
  lines: ReadonlySet<number> | undefined,
  sends: ReadonlyArray<KnownSend>
) => {
  const ids = new Map(sends.map(({ id, key }) => [key, id]))
  return knownRows(list, campaign).pipe(
    Stream.filter(({ row: { line } }) => lines?.has(line) !== false),
    Stream.filter(({ row }) => row._tag !== "SkippedRow" || row.reason === "excluded"),
    Stream.map(({ standing }) => ids.get(standing?.send?.key ?? "")),
    Stream.filter((id) => id !== undefined),
    Stream.runCollect
  )
}

/** Returns whether a person agrees that somebody may get a second SMS. */
const isWanted = Effect.fnUntraced(function* (things: string, decision: Decision, { yes }: Flags) {
  if (decision !== "resend" || yes) return true
  const { terminal } = yield* Invocation
  const question = `Let ${things} go out again? They may have gone out: whoever got the SMS gets a second one.`
  if (yield* terminal.confirm(question)) return true
  yield* note("Nothing was changed")
  return false
})

/** Decides about the attempts that are shown, and about nothing that came after the question. */
const decide = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  thing: string,
  decision: Decision,
  flags: Flags
) {
  const journal = yield* SendJournal
  if (ids.length > 0 && !(yield* isWanted(counted(ids.length, thing), decision, flags))) {
    return exitCodes.failed
  }
  const { changed, meanwhile } = yield* journal.resolve({ ids, was: flags.was }, decision)
  yield* report(
    { event: "Resolved", as: decision, changed, meanwhile },
    `${counted(changed, thing)}: ${shown[decision]}`
  )
  if (meanwhile === 0) return exitCodes.done
  yield* note(
    `Not changed: ${counted(meanwhile, thing)}. Since the question, a response came, or somebody else decided`
  )
  return exitCodes.failed
})

const decideRows = Effect.fnUntraced(function* (
  campaign: string,
  decision: Decision,
  list: List.List | undefined,
  lines: ReadonlySet<number> | undefined,
  flags: Flags
) {
  const { decidable } = yield* SendJournal
  const sends = yield* decidable({ campaign, was: flags.was })
  const ids =
    list === undefined ? sends.map(({ id }) => id) : yield* idsOf(list, campaign, lines, sends)
  const code = yield* decide(ids, "row", decision, flags)
  if (ids.length > 0) return code
  yield* note(
    `No row ${flags.was === undefined ? "of unknown outcome" : "that a person decided so"} was chosen`
  )
  return lines === undefined ? code : exitCodes.failed
})

const decideOne = Effect.fnUntraced(function* (
  target: Exclude<Target, { readonly _tag: "Rows" }>,
  decision: Decision,
  flags: Flags
) {
  const { decidable } = yield* SendJournal
  const which = target._tag === "Id" ? { ids: [target.id] } : { key: target.key }
  const sends = yield* decidable({ ...which, was: flags.was })
  if (sends.length > 0) {
    return yield* decide(
      sends.map(({ id }) => id),
      "send",
      decision,
      flags
    )
  }
  const by = target._tag === "Id" ? `the id ${target.id}` : "this key"
  const name = nameOf(yield* Journal.choose(flags))
  return yield* cannotRun(
    `No send that can be decided about has ${by} in the journal ${name}, and nothing was changed. One in flight has to become unknown first; a decision is taken back with --was`
  )
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
