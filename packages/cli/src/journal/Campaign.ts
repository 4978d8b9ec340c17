/** The name of a campaign, and what the journal has of it besides its rows: whether it was pruned, and how its list is read. */
import { argumentsOf, refuse, text, type UsageError } from "@messaging-topup/command"
import type { MessagingTopup } from "@messaging-topup/core"
import { type KnownCampaign, SendJournal } from "@messaging-topup/journal/internal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { basename, dirname, extname, resolve } from "node:path"
import * as LocalTime from "../words/LocalTime.ts"
import { shellWords } from "../words/ShellLine.ts"
import { cannotRun, type CommandError } from "../CommandError.ts"
import type { List } from "../input/List.ts"
import { isPipe } from "../input/Source.ts"

export const named = {
  campaign: text(
    "name",
    "the file's name without its extension",
    "The name under which the journal knows what became of the rows"
  )
}

export interface NameFlags {
  readonly campaign: string | undefined
  readonly file: string | undefined
}

/** Returns the name of the campaign: that of the file, if none is given. */
export const nameOf = Effect.fnUntraced(function* ({
  campaign,
  file
}: NameFlags): Effect.fn.Return<string, UsageError> {
  if (campaign !== undefined) return campaign
  if (file === undefined) return yield* refuse("Give the file, or the name with --campaign")
  if (!(yield* isPipe(file))) return basename(file, extname(file))
  const source = file === "-" ? "stdin" : "a pipe"
  return yield* refuse(
    `The rows come from ${source}, which has no name for the campaign: give --campaign`
  )
})

/** What another name does if the campaign sent something: its SMS may have another text now, so none is recognized. */
const underAnotherName =
  "Under another name, all rows are new: whoever got an SMS before gets one more. To reach only the others, run results with what was given then, but without --allow-repeats, and at once run that file with another --campaign and --outcome 'not sent', then with --outcome rejected"

/** That a list has a stop list, beside the digests. */
const stopListOption = "--exclude"

/** A digest for each option: a template is text of the SMS, which the journal does not have. */
const optionsOf = ({ reading }: List) =>
  Effect.map(SendJournal, ({ digest }) =>
    Record.map(reading, (value, option) => digest(["option", option, value]))
  )

/** What the journal stores of them. A stop list may come later: from then on, it is asked for. */
const storedOf = Effect.fnUntraced(function* (list: List) {
  const options = yield* optionsOf(list)
  const without = JSON.stringify(options)
  return list.stopList === undefined
    ? { options: without }
    : { options: JSON.stringify({ ...options, [stopListOption]: true }), replaces: without }
})

const otherStopList = `Another campaign of this journal has a stop list, and this command has none: give it with ${stopListOption}, or somebody who is on it may get an SMS`

/** The folder of a list; a pipe has none. */
const folderOf = Effect.fnUntraced(function* ({ file }: NameFlags) {
  return file === undefined || (yield* isPipe(file)) ? undefined : dirname(resolve(file))
})

/** A campaign, as the options of a command name it. */
export interface Named {
  readonly campaign: string
  readonly flags: NameFlags
  readonly list: List | undefined
}

/** What the journal says of it. */
export interface Found {
  readonly isBegun: boolean
  /** That the campaign, which has only the name of the file, began with a file of another folder. */
  readonly otherFolder: string | undefined
  /** That the campaign has a stop list, which this list does not have. */
  readonly noStopList: string | undefined
  /** That the campaign is not begun, and another one has a stop list, which this list does not have. */
  readonly otherStopList?: string | undefined
}

/** Whether the journal has no send of a campaign. */
export const isUnused = Effect.fnUntraced(function* (campaign: string) {
  const { campaigns } = yield* SendJournal
  return Object.values(yield* campaigns.counts(campaign)).every((count) => count === 0)
})

const hasStopList = (options: string): boolean =>
  Predicate.hasProperty(JSON.parse(options), stopListOption)

const isWithoutStopList = (list: List | undefined): boolean =>
  list !== undefined && list.stopList === undefined

const foundAs = Effect.fnUntraced(function* (
  { campaign, flags, list }: Named,
  known: KnownCampaign | undefined
): Effect.fn.Return<Found, CommandError, SendJournal> {
  const name = JSON.stringify(campaign)
  const { folder, options = "{}", prunedAt } = known ?? {}
  if (prunedAt !== undefined) {
    const at = LocalTime.second(prunedAt, DateTime.zoneMakeLocal())
    return yield* cannotRun(
      `The campaign ${name} was pruned at ${at}, and the journal no longer knows who got an SMS: to send these rows again, use another name`
    )
  }
  const before: unknown = JSON.parse(options)
  const given = Object.entries(list === undefined ? {} : yield* optionsOf(list))
  const different = given.flatMap(([option, digest]) =>
    Predicate.hasProperty(before, option) && before[option] !== digest ? [`another ${option}`] : []
  )
  const isOther =
    flags.campaign === undefined && folder !== undefined && folder !== (yield* folderOf(flags))
  const otherFolder = isOther
    ? `The campaign ${name} began with a file in another folder: if this is the same list, give ${shellWords(...argumentsOf(named, { campaign }))}; if not, give another name with --campaign`
    : undefined
  if (different.length > 0) {
    const then = (yield* isUnused(campaign))
      ? "Nothing of it was sent, so another name is safe, too"
      : underAnotherName
    const ways = `The campaign ${name} was begun with ${different.join(" and ")}, or none: for another campaign, such as next month's, give a name of its own with --campaign; for the same one, give what was given then, so that its rows are known again. ${then}`
    return yield* refuse(otherFolder === undefined ? ways : `${otherFolder}. ${ways}`)
  }
  const noStopList =
    isWithoutStopList(list) && hasStopList(options)
      ? `The campaign ${name} has a stop list, and this command has none: give it with ${stopListOption}, or somebody who is on it may get an SMS`
      : undefined
  return { isBegun: known !== undefined, otherFolder, noStopList }
})

/**
 * Looks the name of a campaign up, for every command. Fails if it was pruned, or if its list was read with other
 * options: then the journal would seem to know none of its rows.
 */
export const find = Effect.fnUntraced(function* (
  asked: Named
): Effect.fn.Return<Found, CommandError, SendJournal> {
  const { campaigns } = yield* SendJournal
  const known = yield* campaigns.find(asked.campaign)
  const found = yield* foundAs(asked, known)
  if (found.isBegun || !isWithoutStopList(asked.list)) return found
  return (yield* campaigns.allOptions).some(hasStopList) ? { ...found, otherStopList } : found
})

/**
 * Writes down where the list of a campaign is and how it is read, before the first row is sent. Another process may
 * have begun it in the meantime, with another list.
 */
export const begin = Effect.fnUntraced(function* (
  asked: Named & { readonly list: List }
): Effect.fn.Return<Found, CommandError, MessagingTopup | SendJournal> {
  const { campaigns } = yield* SendJournal
  const { campaign, flags, list } = asked
  const folder = yield* folderOf(flags)
  const stored = yield* campaigns.begin(campaign, { folder, ...(yield* storedOf(list)) })
  return yield* foundAs(asked, stored)
})
