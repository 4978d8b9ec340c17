/** `resolve`: applies a person's decision to sends of unknown outcome. */
import {
  choice,
  counted,
  exitCodes,
  list as listOption,
  note,
  numberOf,
  on,
  refuse,
  text,
  type UsageError,
  type Values
} from "@messaging-topup/command"
import type { Decision, ToResolve } from "@messaging-topup/journal"
import {
  anotherSms,
  countsForHours,
  type KnownSend,
  nameOf,
  SendJournal
} from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { capitalize } from "effect/String"
import * as Struct from "effect/Struct"
import { agreed, stoppable } from "../CommandFile.ts"
import { tell } from "../Events.ts"
import { allOf, type CommandError, requireTerminal } from "../CommandError.ts"
import * as List from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import * as ChosenJournal from "../journal/ChosenJournal.ts"
import { noteUnlisted } from "../journal/Unlisted.ts"
import { type KeyedRow, knownRows } from "../journal/KnownRows.ts"
import { rowOf, sendOf, type Shown, tableOfFields } from "../journal/ShownSends.ts"
import { rowOutcomes } from "../results/RowOutcome.ts"

/** What each decision says. The page for operators has the same words. */
const meanings: Readonly<Record<Decision, string>> = {
  sent: "went out",
  "not-sent": "did not go out, and nothing sends this row or call unless a person approves it",
  resend: "did not go out, and the next run with this row, or the same call, sends it"
}

/** What the call of a batch sends beside what was decided. */
const ofBatch = `a batch's call also sends again what it sent over ${countsForHours} hours ago`

const options = {
  ...List.fileIfAny,
  sent: on(`Each ${meanings.sent}`),
  notSent: on(`Each ${meanings["not-sent"]}`),
  resend: on(
    `Each ${meanings.resend}; ${ofBatch}; the call needs again if an earlier one went out, or may have. Who got the SMS gets a second one`
  ),
  was: choice(
    Struct.keys(meanings),
    "decides about unknown ones",
    "Takes back this decision of a person, while there is no later attempt"
  ),
  line: listOption(
    "line",
    "all rows",
    "The line of a row in the list as it is now, as results shows it; may be repeated"
  ),
  id: text("id", "", "Instead of a list: the send with this id, as sends lists it"),
  key: text(
    "key",
    "",
    "Instead of a list: the send of a program with this key, or with --campaign the row"
  ),
  yes: on("Skips the question"),
  ...List.reading,
  ...Campaign.named,
  ...ChosenJournal.common
}

type Flags = Values<typeof options>

const decisionOf = ({ notSent, resend, sent }: Flags) => {
  const given = { sent, "not-sent": notSent, resend } satisfies Record<Decision, boolean>
  const [decision, ...others] = Struct.keys(given).filter((name) => given[name])
  return decision === undefined || others.length > 0
    ? refuse("Give one of --sent, --not-sent and --resend")
    : Effect.succeed(decision)
}

/** What the decision is about. It is never guessed: "17" could be a file, an id and a key. */
const targetOf = Effect.fnUntraced(function* (
  flags: Flags
): Effect.fn.Return<ToResolve, UsageError> {
  const { campaign, file, id, key } = flags
  if (key !== undefined && file === undefined && id === undefined) {
    return campaign === undefined ? { key } : { campaign, keys: [key] }
  }
  const given = [file ?? campaign, id, key].filter((each) => each !== undefined)
  if (given.length !== 1) {
    return yield* refuse("Give only one of these: a list or its --campaign, --id, --key")
  }
  if (id === undefined) return { campaign: yield* Campaign.nameOf(flags) }
  return /^\d{1,15}$/.test(id)
    ? { ids: [Number(id)] }
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

interface Chosen {
  readonly which: ToResolve
  readonly list: List.List | undefined
  readonly lines: ReadonlySet<number> | undefined
}

/** What is decided about, and as a person reads it. */
interface Decided {
  readonly sends: ReadonlyArray<KnownSend>
  readonly shown: ReadonlyArray<Shown>
  /** The lines that were named, and are of none of them. */
  readonly otherLines: ReadonlyArray<number>
  /** Of how many rows the SMS was another one than the list has now. */
  readonly others: number
  /** How many rows are excluded by the stop list. */
  readonly excluded: number
}

/** What can be decided about: what a person is shown, and nothing that comes later. */
const decidedOf = Effect.fnUntraced(function* (
  chosen: Chosen,
  { was }: Flags
): Effect.fn.Return<Decided, CommandError, SendJournal> {
  const { list, which } = chosen
  const { decidable } = yield* SendJournal
  const sends = yield* decidable({ ...which, was })
  if (list === undefined || which.campaign === undefined) {
    const shown = sends.map((send) => Struct.omit(sendOf(send), ["message_id", "state"]))
    return { sends, shown, otherLines: [], others: 0, excluded: 0 }
  }
  const keys = new Set(sends.map(({ key }) => key))
  const listed = yield* knownRows(list.everyRow, which.campaign).pipe(
    Stream.filter((known): known is KeyedRow => keys.has(known.standing?.send?.key ?? "")),
    Stream.runCollect
  )
  const rows = listed.filter(({ row: { line } }) => chosen.lines?.has(line) !== false)
  const found = new Set(rows.map(({ row: { line } }) => line))
  const chosenKeys = new Set(rows.map(({ standing }) => standing.send?.key))
  return {
    sends: sends.filter(({ key }) => chosenKeys.has(key)),
    shown: rows.map(rowOf),
    otherLines: [...(chosen.lines ?? [])].filter((line) => !found.has(line)),
    others: rows.filter(({ standing }) => standing.isOther).length,
    excluded: rows.filter(({ row }) => row._tag === "ExcludedRow").length
  }
})

const maxShown = 5

/** What a terminal shows of them: the first ones, and how many more there are. */
const shownOf = ({ shown }: Decided): string => {
  const more = shown.length - maxShown
  const table = tableOfFields(shown.slice(0, maxShown)) ?? ""
  return `${table.replaceAll(/^/gm, "  ")}${more > 0 ? `\n  and ${numberOf(more)} more` : ""}`
}

/** How many of them a call of the MCP server sends only with `again`: an earlier send went out, or may have. */
const needAgain = Effect.fnUntraced(function* (sends: ReadonlyArray<KnownSend>) {
  const { server } = yield* SendJournal
  const keys = sends.flatMap(({ caller, key }) =>
    caller === undefined ? [] : [{ key, digest: key }]
  )
  const standings = keys.length === 0 ? [] : yield* server.look(keys)
  return standings.filter(({ state }) => state === "sent" || state === "unknown").length
})

/** How the rows of lines stand, such as `Line 2 is sent`, in the words of `results`. */
const standingsOf = Effect.fnUntraced(function* (
  { list, which: { campaign } }: Chosen,
  lines: ReadonlyArray<number>
) {
  if (lines.length === 0 || list === undefined || campaign === undefined) return []
  const rows = yield* rowOutcomes(list, campaign).pipe(
    Stream.filter(({ row: { line } }) => lines.includes(line)),
    Stream.map(({ outcome, row: { line } }) => [line, outcome] as const),
    Stream.runCollect
  )
  const words = new Map(rows)
  return lines.map((line) => `Line ${line} is ${words.get(line) ?? "no row of the list"}`)
})

/** Why nothing that can be decided about was chosen. */
const whyNone = Effect.fnUntraced(function* ({ which: { key } }: Chosen, { was }: Flags) {
  const { decidable, operator } = yield* SendJournal
  const otherwise =
    "One in flight has to become unknown first, mostly within a minute; a decision is taken back with --was"
  if (was !== undefined) {
    return "A decision is taken back only while it is that one, and there is no later attempt"
  }
  if (key === undefined) return otherwise
  const unknown = yield* operator.list({ isUnknown: true, recipients: undefined })
  const campaigns = new Set(unknown.flatMap(({ campaign }) => campaign ?? []))
  const sends = yield* Effect.forEach(campaigns, (campaign) => decidable({ campaign, keys: [key] }))
  const rows = sends
    .flat()
    .map(
      ({ campaign, id }) =>
        `A row of the campaign ${JSON.stringify(campaign)} has this key: give --id ${id}`
    )
  return rows.length > 0 ? rows.join(". ") : otherwise
})

/** What must be known of the rows besides how they are shown. */
const remarksOf = ({ excluded, others, sends }: Decided, decision: Decision) => {
  const them = excluded === 1 ? "it" : "them"
  return [
    others > 0 &&
      `The SMS of ${counted(others, "row")} had ${anotherSms} than the list has now: the decision is about that SMS`,
    decision === "resend" &&
      excluded > 0 &&
      `The stop list excludes ${counted(excluded, "row")}: no run sends ${them} as long as it does`,
    decision === "resend" && sends.some(({ batch }) => batch !== undefined) && capitalize(ofBatch)
  ].filter((remark) => remark !== false)
}

const decide = Effect.fnUntraced(function* (chosen: Chosen, decision: Decision, flags: Flags) {
  const { resolve } = yield* SendJournal
  const decided = yield* decidedOf(chosen, flags)
  const { otherLines, others, sends } = decided
  const standings = yield* standingsOf(chosen, otherLines)
  const ids = sends.map(({ id }) => id)
  const { campaign } = chosen.which
  const thing = campaign === undefined ? "send" : "row"
  const remarks = remarksOf(decided, decision)
  // An id is of one journal: in another, it is another send.
  const journal = nameOf(yield* ChosenJournal.choose(flags))
  if (decision === "resend" && !flags.yes && ids.length > 0) {
    const now = chosen.list === undefined ? "" : ", as the list is now"
    yield* note(`In the journal ${journal}${now}:\n${shownOf(decided)}`)
    const question = [
      `Let ${counted(ids.length, thing)} go out again? They may have gone out: whoever got the SMS gets a second one`,
      ...remarks
    ]
    if (!(yield* agreed(`${question.join(". ")}.`, flags, "Nothing was changed")))
      return exitCodes.failed
  }
  const { changed, meanwhile } = yield* resolve({ ids, was: flags.was }, decision)
  const again = decision === "resend" && changed > 0 ? yield* needAgain(sends) : 0
  // Nobody knows which ones changed if others did not.
  const which = meanwhile === 0 ? `:\n${shownOf(decided)}` : ""
  yield* tell(
    {
      event: "Resolved",
      journal,
      as: decision,
      changed,
      meanwhile,
      ...(others === 0 ? {} : { other_sms: others }),
      ...(again === 0 ? {} : { need_again: again })
    },
    `${counted(changed, thing)} changed in the journal ${journal}${changed > 0 ? `: each ${meanings[decision]}${which}` : ""}`
  )
  for (const each of remarks) yield* note(each)
  if (chosen.list !== undefined && campaign !== undefined) {
    yield* noteUnlisted(campaign, chosen.list, flags, false)
  }
  if (again > 0) {
    yield* note(
      `The call of ${counted(again, thing)} needs again: true, because an earlier send of the same SMS went out, or may have`
    )
  }
  if (meanwhile > 0) {
    yield* note(
      `Not changed: ${counted(meanwhile, thing)}. Since the question, a response came, or somebody else decided`
    )
    return exitCodes.failed
  }
  if (ids.length > 0) {
    if (standings.length === 0) return exitCodes.done
    yield* note(`Not changed: ${counted(standings.length, "line")}. ${standings.join(". ")}`)
    return exitCodes.failed
  }
  const why = [...standings, yield* whyNone(chosen, flags)].join(". ")
  yield* note(
    `No ${thing} that can be decided about was chosen in the journal ${journal}, and nothing was changed. ${why}`
  )
  return exitCodes.failed
})

const resolve = Effect.fnUntraced(function* (flags: Flags) {
  const { decision, lines, list, which } = yield* allOf({
    decision: decisionOf(flags),
    person: flags.resend && !flags.yes ? requireTerminal("nothing was changed") : Effect.void,
    which: targetOf(flags),
    lines: linesOf(flags),
    list: List.makeIfGiven(flags, ChosenJournal.argumentsLacking(flags))
  })
  const { campaign } = which
  const deciding = decide({ which, lines, list }, decision, flags)
  return campaign === undefined
    ? yield* ChosenJournal.opened(flags, Effect.andThen(ChosenJournal.requireServer, deciding))
    : yield* ChosenJournal.withCampaign({ campaign, flags, list }, "changes", deciding)
})

export const command = stoppable<Flags>({
  usage: "list.csv | --id <id> | --key <key> --sent|--not-sent|--resend",
  details:
    "With a file, about those of its rows; a part of the list is enough. If it changes nothing, or not every line that --line names, the exit code is 1",
  options,
  run: resolve
})
