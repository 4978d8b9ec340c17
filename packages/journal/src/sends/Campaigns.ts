/** The sends of campaigns: many keys in one statement. */
import * as Effect from "effect/Effect"
import type { Database } from "../database/Database.ts"
import { integer, optional, rowOf, rowsOf, type StoredRow, text } from "../database/StoredRows.ts"
import { CampaignPruned, type JournalError } from "../model/Errors.ts"
import { inRange, rangeOf } from "../model/Names.ts"
import type { Claim } from "../model/Send.ts"
import { makeTallies } from "./Tallies.ts"
import type { OtherSend, Rule } from "../Rule.ts"
import { beginClaim, type Described, type RowToClaim, type Write } from "../Write.ts"

/** One write of many rows: it settles some and claims others. */
export interface CampaignWrite extends Omit<Write, "campaign"> {}

/**
 * The claim of a row, or why it was refused: it would be a second SMS to its recipient (`"repeated"`); or somebody else
 * has claimed it, or it got an outcome, which `look` tells (`"elsewhere"`).
 */
export type RowClaim = Claim | "elsewhere" | "repeated"

/** What a write claimed. */
export interface Claimed {
  /** In the order of the rows. Start one request for each that was claimed, and for no other. */
  readonly rows: ReadonlyArray<RowClaim>
  /** Whether a request of these claims may still start. Pass it to `MayStart`. */
  readonly mayStart: () => boolean
  /** How many settlements prove that the journal was replaced by an older copy: they found no row of their claim. */
  readonly missing: number
  /** Whether the claims prove it: do not start them. */
  readonly isOlderCopy: boolean
}

/** What the journal knows of the name of a campaign. */
export interface KnownCampaign {
  /** The folder of the list with which it began. */
  readonly folder?: string | undefined
  /** The options with which its list is read: a text that only the command reads. */
  readonly options?: string | undefined
  /** When its sends were deleted, in milliseconds since 1970. */
  readonly prunedAt?: number | undefined
}

/** What is stored of a campaign when it begins. */
interface Begun extends Omit<KnownCampaign, "prunedAt"> {
  /** The options that these take the place of, though the campaign has begun. */
  readonly replaces?: string | undefined
}

const knownOf = (row: StoredRow): KnownCampaign => ({
  folder: optional(row, "folder", text),
  options: optional(row, "options", text),
  prunedAt: optional(row, "pruned_at", integer)
})

/** Of the rows with one key, the first; and of those that may not repeat, no second SMS to a recipient. */
const firstOf = (claims: ReadonlyArray<RowToClaim>): ReadonlyArray<RowToClaim> => {
  const keys = new Set<string>()
  const reached = new Set(claims.filter(({ mayRepeat }) => mayRepeat).map((row) => row.recipient))
  return claims.filter(({ key, mayRepeat, recipient }) => {
    const isFirst = !keys.has(key) && (mayRepeat || !reached.has(recipient))
    keys.add(key)
    reached.add(recipient)
    return isFirst
  })
}

export const makeCampaigns = (database: Database, rule: Rule) => {
  const { dialect, read, transaction } = database
  const campaigns = dialect.table("campaign")

  /** Returns what the journal knows of a name; undefined if it was not begun. */
  const find = (campaign: string) =>
    rowOf(
      read(`select folder, options, pruned_at from ${campaigns} where name = $campaign`, {
        campaign
      }),
      knownOf
    )

  /** Returns the options of all campaigns. */
  const allOptions = rowsOf(
    read(`select distinct options from ${campaigns} where options is not null`),
    (row) => text(row, "options")
  )

  /**
   * Stores a campaign, and returns what is stored of it. A folder and options that are there stay, but options equal to
   * `replaces` do not. Its rows can be claimed from then on. May be repeated.
   */
  const begin = Effect.fnUntraced(function* (
    campaign: string,
    { folder, options, replaces }: Begun = {}
  ) {
    yield* rule.mayBegin
    const known = yield* find(campaign)
    if (known?.prunedAt !== undefined) return yield* Effect.fail(new CampaignPruned({ campaign }))
    const isKnown =
      (known?.folder ?? folder) === known?.folder &&
      (known?.options ?? options) === known?.options &&
      (replaces === undefined || replaces !== known?.options)
    if (known !== undefined && isKnown) return known
    const written = transaction((query) =>
      query(
        `insert into ${campaigns} as known (name, folder, options) values ($campaign, $folder, $options)
        on conflict (name) do update set folder = coalesce(known.folder, excluded.folder),
          options = coalesce(nullif(known.options, $replaces), excluded.options)
        returning folder, options, pruned_at`,
        { campaign, folder: folder ?? null, options: options ?? null, replaces: replaces ?? null }
      )
    )
    return yield* rowOf(written, knownOf)
  })

  /**
   * An older copy can lack the name of a campaign and have sends of it, which a person must find: they are in no other
   * file.
   */
  const restoreName = (campaign: string) =>
    Effect.ignore(
      transaction((query) =>
        query(`insert into ${campaigns} (name) values ($campaign) on conflict do nothing`, {
          campaign
        })
      )
    )

  /** Returns which of these rows would be a second SMS to somebody, by their keys, each with the other send. */
  const repeated = (campaign: string, rows: ReadonlyArray<Described>) =>
    rows.length === 0
      ? Effect.succeed<ReadonlyMap<string, OtherSend>>(new Map())
      : rule.repeated(campaign, rows)

  /**
   * Settles rows and claims others, in one write. After a failure, repeat the call with the same rows and ticket; what
   * was already written does not change. A row cannot be settled and claimed in one write. If the campaign was
   * pruned, nothing is claimed and nothing settled.
   */
  const write = Effect.fnUntraced(function* (
    campaign: string,
    { claim: claims, ...given }: CampaignWrite
  ): Effect.fn.Return<Claimed, CampaignPruned | JournalError> {
    const mayStart = yield* beginClaim
    const wanted = new Set(firstOf(claims))
    const written = yield* rule.write({ ...given, campaign, claim: [...wanted] })
    if (written.isPruned) return yield* Effect.fail(new CampaignPruned({ campaign }))
    const { isOlderCopy, missing } = written
    if (isOlderCopy || missing > 0) yield* restoreName(campaign)
    const idOf = (claim: RowToClaim) =>
      wanted.has(claim) ? written.claimed.get(claim.key) : undefined
    const asked = claims.filter((claim) => idOf(claim) === undefined && !claim.mayRepeat)
    const others = yield* repeated(campaign, asked)
    const rows = claims.map((claim): RowClaim => {
      const { attempt, key } = claim
      const id = idOf(claim)
      if (id !== undefined) return { id, key, attempt, ticket: given.ticket }
      return others.has(key) ? "repeated" : "elsewhere"
    })
    return { rows, mayStart, missing, isOlderCopy }
  })

  /**
   * Returns how many rows are not on the disk of so many that must be, whose tickets all begin with `run`. Such a row
   * is deleted with its whole campaign alone, which is then pruned.
   */
  const missing = (campaign: string, run: string, expected: number) => {
    const found = read(
      `select (select pruned_at from ${campaigns} where name = $campaign) as pruned_at,
        cast(count(*) as ${dialect.integer}) as total
      from ${dialect.table("send")} where ${inRange} and substr(ticket, 1, ${run.length}) = $run`,
      { ...rangeOf(campaign), campaign, run }
    )
    const missed = rowOf(found, (row) =>
      optional(row, "pruned_at", integer) === undefined ? expected - integer(row, "total") : 0
    )
    return Effect.andThen(
      database.reread,
      Effect.map(missed, (count) => Math.max(0, count ?? 0))
    ).pipe(
      Effect.tap((count) => Effect.sync(() => rule.onMissing(count))),
      Effect.tap((count) => (count === 0 ? Effect.void : restoreName(campaign)))
    )
  }

  return {
    ...makeTallies(database, rule),
    allOptions,
    begin,
    find,
    /** Returns how each row stands, in the order of the rows, which are as `identify` returned them. */
    look: rule.look,
    missing,
    newestId: rule.newestId,
    repeated,
    write
  }
}

export type CampaignSends = ReturnType<typeof makeCampaigns>
