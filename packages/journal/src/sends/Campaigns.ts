/** The sends of campaigns: many keys in one statement. */
import { InvalidInput, type SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type { Database } from "../database/Database.ts"
import { integer, optional, rowOf, rowsOf, text } from "../database/Rows.ts"
import { CampaignPruned, type JournalError } from "../model/Errors.ts"
import type { Claim, KeyedSend, KnownSend, Settlement } from "../model/Send.ts"
import { checkName, inRange, type Names, namesOf, prefixOf, rangeOf } from "../model/Names.ts"
import { makeRecipients } from "./Recipients.ts"
import { makeReserve } from "./Rate.ts"
import { makeTallies } from "./Tallies.ts"
import { type SendState, stateNames } from "../model/States.ts"
import { beginClaim, lockOf, type NewClaim, type Rule } from "../Rule.ts"

/** A row to claim. */
export interface RowToClaim {
  /** As `identify` returned it. */
  readonly send: KeyedSend
  readonly request: SendSmsRequest
  /** As `look` returned it. */
  readonly attempt: number
}

/** One write of many rows: it settles some and claims others. */
export interface Batch {
  readonly settle: ReadonlyArray<Settlement>
  readonly claim: ReadonlyArray<RowToClaim>
  /** A random text of this batch. If the batch is repeated after a failure, it is the same. */
  readonly token: string
  /** How long one request may take: `timeoutMillis` of the client. */
  readonly timeoutMillis: number
  /** Whether a recipient may get several SMS of the campaign. */
  readonly allowRepeats: boolean
}

/**
 * What became of a row that was to be claimed. It is refused because another row of the campaign has its
 * recipient and was sent, or may have been (`"repeated"`); or because somebody else has claimed it or it got an
 * outcome, which `look` tells (`"elsewhere"`).
 */
export type RowClaim =
  | { readonly _tag: "Claimed"; readonly claim: Claim }
  | { readonly _tag: "Refused"; readonly because: "elsewhere" | "repeated" }

/** What a batch claimed. */
export interface Claimed {
  /** In the order of the rows. Start one request for each that was claimed, and for no other. */
  readonly rows: ReadonlyArray<RowClaim>
  /** Whether a request of these claims may still start. Pass it to `MayStart`. */
  readonly mayStart: () => boolean
}

/** What the journal knows of the name of a campaign. */
export interface KnownCampaign {
  /** The folder of the list with which it began. */
  readonly folder?: string | undefined
  /** How its list was read when it began, as whoever began it wrote it down. */
  readonly options?: string | undefined
  /** When its sends were deleted, in milliseconds since 1970. */
  readonly prunedAt?: number | undefined
}

/** An SMS of somebody else with the same content as one of a campaign. */
export interface OtherSend {
  readonly id: number
  /** `contentDigest` of its request. */
  readonly content: string
  /** Absent for a send of a program or of the server. */
  readonly campaign?: string | undefined
  /** When it was claimed, in milliseconds since 1970. */
  readonly claimedAt: number
}

interface Page {
  readonly states?: ReadonlyArray<SendState>
  readonly after?: string
  readonly limit: number
}

const refused = (because: "elsewhere" | "repeated"): RowClaim => ({ _tag: "Refused", because })

export const makeCampaigns = (database: Database, rule: Rule, { describe }: Names) => {
  const { dialect, lock, read, transaction } = database
  const { elements, table } = dialect
  const send = table("send")
  const campaigns = table("campaign")
  const findRepeated = makeRecipients(dialect)
  /** Without the lock, a row can be passed over: that is enough for a question, and not for a claim. */
  const lookForRepeated = makeRecipients(dialect)

  /** Returns what the journal knows of a name; undefined if it was not begun. */
  const find = (campaign: string) =>
    rowOf(
      read(`select folder, options, pruned_at from ${campaigns} where name = $1`, campaign),
      (row): KnownCampaign => ({
        folder: optional(row, "folder", text),
        options: optional(row, "options", text),
        prunedAt: optional(row, "pruned_at", integer)
      })
    )

  /** Writes the name of a campaign down. Its rows can be claimed from then on. May be repeated. */
  const begin = Effect.fnUntraced(function* (
    campaign: string,
    { folder, options }: Omit<KnownCampaign, "prunedAt"> = {}
  ) {
    yield* Effect.mapError(
      Effect.fromResult(checkName(campaign)),
      (problem) => new InvalidInput({ field: "campaign", problem, operation: "sendMany" })
    )
    const known = yield* find(campaign)
    if (known?.prunedAt !== undefined) return yield* Effect.fail(new CampaignPruned({ campaign }))
    const isKnown =
      (known?.folder ?? folder) === known?.folder && (known?.options ?? options) === known?.options
    if (known !== undefined && isKnown) return
    yield* transaction((query) =>
      query(
        `insert into ${campaigns} as known (name, folder, options) values ($1, $2, $3)
        on conflict (name) do update set folder = coalesce(known.folder, excluded.folder),
          options = coalesce(known.options, excluded.options)`,
        campaign,
        folder ?? null,
        options ?? null
      )
    )
  })

  const claimOf = ({ attempt, request, send: known }: RowToClaim): NewClaim => ({
    ...describe(known, request),
    attempt
  })

  /** Refuses the rows that are a second SMS to somebody, and writes the others. */
  const write = Effect.fnUntraced(function* (
    campaign: string,
    batch: Batch,
    claim: ReadonlyArray<NewClaim>
  ) {
    if (batch.allowRepeats || claim.length === 0) {
      const granted = yield* rule.write({ ...batch, campaign, claim })
      return { granted, repeated: new Set<NewClaim>() }
    }
    const written = yield* transaction((query) =>
      Effect.gen(function* () {
        yield* lock(query, lockOf(campaign))
        const found = yield* findRepeated(query, campaign, claim, true)
        const rest = claim.filter((row) => !found.rows.has(row))
        return { found, granted: yield* rule.write({ ...batch, campaign, claim: rest }, query) }
      })
    )
    written.found.committed()
    return { granted: written.granted, repeated: written.found.rows }
  })

  /**
   * Settles rows and claims others, in one write. After a failure, repeat the call with the same batch; what
   * was already written does not change. A row cannot be settled and claimed in one batch. If the campaign was
   * pruned, nothing is claimed.
   */
  const exchange = Effect.fnUntraced(function* (
    campaign: string,
    batch: Batch
  ): Effect.fn.Return<Claimed, CampaignPruned | JournalError> {
    const mayStart = yield* beginClaim
    const claims = batch.claim.map(claimOf)
    // The first row of a key is claimed. For the others, somebody else has claimed it.
    const first = new Map(claims.toReversed().map((claim) => [claim.key, claim]))
    const { granted, repeated } = yield* write(campaign, batch, [...first.values()])
    const rows = claims.map((claim): RowClaim => {
      const { attempt, key } = claim
      if (first.get(key) !== claim) return refused("elsewhere")
      if (repeated.has(claim)) return refused("repeated")
      return granted.has(key)
        ? { _tag: "Claimed", claim: { key, attempt, token: batch.token } }
        : refused("elsewhere")
    })
    if (granted.size + repeated.size < first.size) {
      const known = yield* find(campaign)
      if (known?.prunedAt !== undefined) return yield* Effect.fail(new CampaignPruned({ campaign }))
    }
    return { rows, mayStart }
  })

  /**
   * Returns which of these rows would be refused as repeated: another row of the campaign has the recipient, and
   * was sent or may have been.
   */
  const repeated = Effect.fnUntraced(function* (
    campaign: string,
    rows: ReadonlyArray<RowToClaim>
  ): Effect.fn.Return<ReadonlySet<RowToClaim>, JournalError> {
    const claims = rows.map(claimOf)
    const found = yield* lookForRepeated(read, campaign, claims, false)
    found.committed()
    const isRepeated = claims.map((claim) => found.rows.has(claim))
    return new Set(rows.filter((_, index) => isRepeated[index]))
  })

  /**
   * Returns sends that are not of this campaign and were sent or may have been, in the order of their ids.
   * `after` is the id of the last one of the page before, 0 at first; `since` is a time in milliseconds since
   * 1970.
   */
  const others = (
    campaign: string,
    {
      after,
      limit,
      since
    }: { readonly since: number; readonly after: number; readonly limit: number }
  ) =>
    rowsOf(
      read(
        `select id, key, content, claimed_at from ${send}
        where id > $1 and claimed_at >= $2 and state in ('claimed', 'sent', 'unknown')
          and substr(key, 1, length(cast($3 as text))) <> cast($3 as text)
        order by id limit $4`,
        after,
        since,
        prefixOf(campaign),
        limit
      ),
      (row): OtherSend => ({
        id: integer(row, "id"),
        content: text(row, "content"),
        campaign: namesOf(text(row, "key")).campaign,
        claimedAt: integer(row, "claimed_at")
      })
    )

  /**
   * Returns the rows in the order of their keys, each as it stands. Default: those of all states. The keys come
   * first: a state that one attempt has is not always that of its key.
   */
  const sends = Effect.fnUntraced(function* (
    campaign: string,
    { after = "", limit, states = stateNames }: Page
  ): Effect.fn.Return<ReadonlyArray<KnownSend>, JournalError> {
    const { from, to } = rangeOf(campaign)
    const found: Array<KnownSend> = []
    let last: string | undefined = from + after
    while (last !== undefined && found.length < limit) {
      const keys: ReadonlyArray<string> = yield* rowsOf(
        read(
          `select distinct key from ${send} as stored
          where ${inRange} and ${rule.sql.standing("stored")} in (select value from ${elements("$3")} as states)
          order by key limit $4`,
          last,
          to,
          JSON.stringify(states),
          limit - found.length
        ),
        (row) => text(row, "key")
      )
      const looked = keys.map((key) => ({ key, request: "" }))
      for (const { send: known } of yield* rule.look(read, looked)) {
        if (known !== undefined && states.includes(known.state)) found.push(known)
      }
      last = keys.at(-1)
    }
    return found
  })

  return {
    ...makeTallies(database, rule),
    begin,
    exchange,
    find,
    /** Returns how each row stands, in the order of the rows, which are as `identify` returned them. */
    look: (rows: ReadonlyArray<KeyedSend>) => rule.look(read, rows),
    others,
    repeated,
    reserve: makeReserve(database),
    sends
  }
}

export type CampaignSends = ReturnType<typeof makeCampaigns>
