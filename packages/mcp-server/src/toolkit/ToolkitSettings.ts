/**
 * Reads the settings that a program gives as an object: options of the command, with the same checks and
 * defaults.
 */
import { InvalidInput } from "@messaging-topup/core"
import type { JournalLocation } from "@messaging-topup/journal/open"
import {
  didYouMean,
  type Options,
  type UsageError,
  type Values
} from "@messaging-topup/sandbox/command-line"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { badOption, bothNames, type Given, type Name, options } from "../Options.ts"
import * as GuardSettings from "../settings/GuardSettings.ts"

const lists = {
  tools: "tools",
  allowRecipients: "allow-recipients",
  allowSenderIds: "allow-sender-ids",
  allowWebhookHosts: "allow-webhook-hosts"
} as const

const durations = {
  duplicateWindow: "duplicate-window",
  confirmTimeout: "confirm-timeout",
  unknownHold: "unknown-hold"
} as const

const others = {
  maxSegments: "max-segments",
  maxBatch: "max-batch",
  maxSendsPerHour: "max-sends-per-hour",
  maxSegmentsPerDay: "max-segments-per-day",
  hideRecentTexts: "hide-recent-texts",
  confirm: "confirm"
} as const

/** The fields, each with the option that it is. */
const optionOf = { ...lists, ...durations, ...others } as const satisfies Readonly<
  Record<string, Name>
>

type Fields<Names, A> = { readonly [Field in keyof Names]?: A }

type Settings = Fields<typeof lists, ReadonlyArray<string>> &
  Fields<typeof durations, Duration.Input> &
  Fields<typeof others, boolean | number | string> & { readonly state: JournalLocation }

const fields = Struct.keys(optionOf)

const refuse = (field: string, problem: string) =>
  Effect.fail(new InvalidInput({ operation: "toolkit", field, problem }))

/** An error repeats an unknown name only if it looks like one. */
const plainName = /^[A-Za-z]\w{0,40}$/

const known = ["state", ...fields]

/** A guard that is misspelt is a guard that is not there. */
const checkNames = (given: object): Effect.Effect<void, InvalidInput> => {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return Effect.void
  return plainName.test(unknown)
    ? refuse(unknown, `there is no such option${didYouMean(unknown, known)}`)
    : refuse("options", `there is no such option; the options are ${known.join(", ")}`)
}

const isPlace = (state: unknown): boolean =>
  ["Memory", "Sqlite", "Postgres"].some((tag) => Predicate.isTagged(state, tag))

/** The option takes its entries in one text. */
const isEntry = (entry: unknown): entry is string =>
  Predicate.isString(entry) && entry.trim() !== "" && !entry.includes(",")

const listText = (field: string, value: ReadonlyArray<unknown>) =>
  Array.isArray(value) && value.every(isEntry)
    ? Effect.succeed(value.join(","))
    : refuse(field, "give a list of texts, none of them empty or with a comma")

const durationText = (value: Duration.Input): string =>
  Option.match(Duration.fromInput(value), {
    onSome: (duration) => `${Duration.toMillis(duration)} millis`,
    onNone: () => "no duration"
  })

/** Writes the values as the options take them. */
const textsOf = Effect.fnUntraced(function* (given: Settings) {
  const texts = new Map<Name, string>()
  for (const field of Struct.keys(lists)) {
    const value = given[field]
    if (value !== undefined) texts.set(lists[field], yield* listText(field, value))
  }
  for (const field of Struct.keys(durations)) {
    const value = given[field]
    if (value !== undefined) texts.set(durations[field], durationText(value))
  }
  for (const field of Struct.keys(others)) {
    const value = given[field]
    if (value !== undefined) texts.set(others[field], String(value))
  }
  return texts
})

const table: Options<Values<typeof options>> = options

const givenOf = (texts: ReadonlyMap<Name, string>): Given => ({
  rest: [],
  isSet: (name) => texts.has(name),
  value: (name) => {
    const text = texts.get(name)
    const read = table[name].read(text === undefined ? [] : [text])
    return Effect.fromResult(Result.mapError(read, (problem) => badOption(name, problem)))
  }
})

/** Names the field instead of the option. */
const fieldError = ({ problem }: UsageError): InvalidInput => {
  const field = fields.find((each) => problem.startsWith(bothNames(optionOf[each])))
  return field === undefined
    ? new InvalidInput({ operation: "toolkit", field: "options", problem })
    : new InvalidInput({
        operation: "toolkit",
        field,
        problem: problem.slice(bothNames(optionOf[field]).length + 2)
      })
}

/** Reads all settings but the state, which needs no reading. */
export const read = Effect.fnUntraced(function* (given: Settings) {
  yield* checkNames(given)
  if (!isPlace(given.state)) {
    return yield* refuse(
      "state",
      'say where sends are stored: { _tag: "Memory" }, or Sqlite with a file, or Postgres with a url'
    )
  }
  const texts = yield* textsOf(given)
  return yield* Effect.mapError(GuardSettings.read(givenOf(texts)), fieldError)
})
