/** What the journal has of a campaign besides its rows: whether it was pruned, and how its list is read. */
import { SendJournal } from "@messaging-topup/journal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as LocalTime from "../text/LocalTime.ts"
import { cannotRun, type Failure, refuse } from "./Failure.ts"
import type { List } from "./List.ts"

/** A digest for each option: a template is text of the SMS, which the journal does not have. */
const optionsOf = ({ reading }: List) =>
  Effect.map(SendJournal, ({ digest }) =>
    Record.map(reading, (value, option) => digest(["option", option, value]))
  )

const Options = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

type Digests = typeof Options.Type

const noOptions: Digests = {}

const differences = (stored: Digests, given: Digests): ReadonlyArray<string> =>
  Object.keys({ ...stored, ...given })
    .filter((option) => stored[option] !== given[option])
    .map((option) => {
      if (given[option] === undefined) return `with ${option}`
      return stored[option] === undefined ? `without ${option}` : `with another ${option}`
    })

/**
 * Returns whether a campaign has begun. Fails if it was pruned, or if its list was read with other options:
 * then the journal would seem to know none of its rows.
 */
export const check = Effect.fnUntraced(function* (
  campaign: string,
  list: List | undefined
): Effect.fn.Return<boolean, Failure, SendJournal> {
  const { campaigns } = yield* SendJournal
  const known = yield* campaigns.find(campaign)
  const name = JSON.stringify(campaign)
  if (known?.prunedAt !== undefined) {
    const at = LocalTime.second(known.prunedAt, DateTime.zoneMakeLocal())
    return yield* cannotRun(
      `The campaign ${name} was pruned at ${at}, and the journal no longer knows who got an SMS: to send these rows again, use another name`
    )
  }
  if (list === undefined || known?.options === undefined) return known !== undefined
  const stored = Option.getOrElse(Schema.decodeOption(Options)(known.options), () => noOptions)
  const different = differences(stored, yield* optionsOf(list))
  if (different.length === 0) return true
  return yield* refuse(
    `The campaign ${name} was begun ${different.join(", ")}: give the same, so that its rows are known again. With another --campaign, all of them are new`
  )
})

/** Writes down how the list of a campaign is read, before the first row is sent. */
export const begin = Effect.fnUntraced(function* (
  campaign: string,
  list: List
): Effect.fn.Return<void, Failure, SendJournal> {
  const { campaigns } = yield* SendJournal
  yield* campaigns.begin(campaign, { options: JSON.stringify(yield* optionsOf(list)) })
  // Another process may have begun it in the meantime.
  yield* check(campaign, list)
})
