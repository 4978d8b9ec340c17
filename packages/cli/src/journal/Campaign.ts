/** The name of a campaign, and what the journal has of it besides its rows: whether it was pruned, and how its list is read. */
import { refuse, text, type UsageError } from "@messaging-topup/command"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { basename, dirname, extname, resolve } from "node:path"
import * as LocalTime from "../words/LocalTime.ts"
import { cannotRun, type Failure } from "../Failure.ts"
import type { List } from "../input/List.ts"

export const named = {
  campaign: text("name", "the file's name without its extension", "The campaign")
}

/** What the campaigns of rehearsals began with, before these remembered nothing. */
const former = /^(sandbox|trial):/

interface NameFlags {
  readonly campaign: string | undefined
  readonly file: string | undefined
}

/** Returns the name of the campaign: that of the file, if none is given. */
export const nameOf = ({ campaign, file }: NameFlags): Effect.Effect<string, UsageError> => {
  if (campaign !== undefined) {
    return former.test(campaign)
      ? refuse(
          "--campaign: a name cannot begin with sandbox: or trial:, because rehearsals are not remembered"
        )
      : Effect.succeed(campaign)
  }
  if (file === undefined) return refuse("Give the file, or the name with --campaign")
  return file === "-"
    ? refuse("The rows come from stdin, which has no name for the campaign: give --campaign")
    : Effect.succeed(basename(file, extname(file)))
}

/** A digest for each option: a template is text of the SMS, which the journal does not have. */
const optionsOf = ({ reading }: List) =>
  Effect.map(SendJournal, ({ digest }) =>
    Record.map(reading, (value, option) => digest(["option", option, value]))
  )

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
  const stored = known?.options
  if (list === undefined || stored === undefined) return known !== undefined
  const different = Object.entries(yield* optionsOf(list))
    .filter(([option, digest]) => stored.includes(option) && !stored.includes(digest))
    .map(([option]) => `another ${option}`)
  if (different.length === 0) return true
  return yield* refuse(
    `The campaign ${name} was begun with ${different.join(" and ")}, or none: give what was given then, so that its rows are known again. With another --campaign, all of them are new`
  )
})

/** The folder of a list; stdin has none. */
const folderOf = ({ file }: NameFlags): string | undefined =>
  file === undefined || file === "-" ? undefined : dirname(resolve(file))

/** Whether the campaign, which has only the name of the file, began with a file of another folder. */
export const isOfAnotherFolder = Effect.fnUntraced(function* (campaign: string, flags: NameFlags) {
  const { campaigns } = yield* SendJournal
  const { folder } = (yield* campaigns.find(campaign)) ?? {}
  return flags.campaign === undefined && folder !== undefined && folder !== folderOf(flags)
})

export const otherFolder =
  "A campaign of this name began with a file in another folder. If this is another list, give it a name of its own with --campaign; if not, give --campaign, too"

/** Writes down where the list of a campaign is and how it is read, before the first row is sent. */
export const begin = Effect.fnUntraced(function* (
  campaign: string,
  list: List,
  flags: NameFlags
): Effect.fn.Return<void, Failure, SendJournal> {
  const { campaigns } = yield* SendJournal
  yield* campaigns.begin(campaign, {
    folder: folderOf(flags),
    options: JSON.stringify(yield* optionsOf(list))
  })
  // Another process may have begun it in the meantime.
  yield* check(campaign, list)
})
