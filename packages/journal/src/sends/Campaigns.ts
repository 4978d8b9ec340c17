/** The sends of campaigns: many keys in one statement. */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type {
  Batch,
  CampaignSends,
  KnownCampaign,
  OtherSend,
  RowClaim,
  RowToClaim
} from "./CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { integer, optional, type Row, rowOf, rowsOf, text } from "../database/Rows.ts"
import { CampaignPruned } from "../model/Errors.ts"
import type { KnownSend } from "../model/Send.ts"
import { inRange, nameProblem, type Names, namesOf, prefixOf, rangeOf } from "../model/Names.ts"
import { makeRecipients } from "./Recipients.ts"
import { makeTallies } from "./Tallies.ts"
import { stateNames } from "../model/States.ts"
import { beginClaim, lockOf, type NewClaim, type Rule } from "../Rule.ts"

/** A batch is reserved at most so long before it comes: long enough for the statements. */
const aheadMicros = 100_000

/** Nobody reserves further ahead than this. A time beyond it comes from a clock that was wrong. */
const wrongMicros = 60_000_000

const waitOf = (row: Row): number => integer(row, "wait")

const refused = (because: "elsewhere" | "repeated"): RowClaim => ({ _tag: "Refused", because })

export const makeCampaigns = (
  database: Database,
  rule: Rule,
  { describe }: Names
): CampaignSends => {
  const { dialect, lock, read, transaction } = database
  const { elements, integer: int, table } = dialect
  const send = table("send")
  const campaigns = table("campaign")
  const findRepeated = makeRecipients(dialect)
  /** Without the lock, a row can be passed over: that is enough for a question, and not for a claim. */
  const lookForRepeated = makeRecipients(dialect)

  const find = (campaign: string) =>
    rowOf(
      read(`select folder, options, pruned_at from ${campaigns} where name = $1`, campaign),
      (row): KnownCampaign => ({
        folder: optional(row, "folder", text),
        options: optional(row, "options", text),
        prunedAt: optional(row, "pruned_at", integer)
      })
    )

  const begin: CampaignSends["begin"] = Effect.fnUntraced(function* (
    campaign,
    { folder, options } = {}
  ) {
    const problem = nameProblem(campaign)
    if (problem !== undefined) {
      return yield* Effect.fail(
        new InvalidInput({ field: "campaign", problem, operation: "sendMany" })
      )
    }
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

  const exchange: CampaignSends["exchange"] = Effect.fnUntraced(function* (campaign, batch) {
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

  const repeated: CampaignSends["repeated"] = Effect.fnUntraced(function* (campaign, rows) {
    const claims = rows.map(claimOf)
    const found = yield* lookForRepeated(read, campaign, claims, false)
    found.committed()
    const isRepeated = claims.map((claim) => found.rows.has(claim))
    return new Set(rows.filter((_, index) => isRepeated[index]))
  })

  const others: CampaignSends["others"] = (campaign, { after, limit, since }) =>
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

  /** The keys come first: a state that one attempt has is not always that of its key. */
  const sends: CampaignSends["sends"] = Effect.fnUntraced(function* (
    campaign,
    { after = "", limit, states = stateNames }
  ) {
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

  const rates = table("rate")
  const nowMicros = `(${dialect.now} * 1000)`
  const cost = `cast($2 as ${int})`

  /** A single statement, so that no two processes get the same time. Times are in microseconds. */
  const take = `insert into ${rates} as stored (name, next_at) values ($1, ${nowMicros} + ${cost})
    on conflict (name) do update
    set next_at = ${cost}
      + case when stored.next_at between ${nowMicros} and ${nowMicros} + ${aheadMicros} then stored.next_at else ${nowMicros} end
    where stored.next_at <= ${nowMicros} + ${aheadMicros}
      or stored.next_at > ${nowMicros} + ${wrongMicros} + 10 * ${cost}
    returning next_at - ${cost} - ${nowMicros} as wait`

  const soonest = `select next_at - ${aheadMicros} - ${nowMicros} as wait from ${rates} where name = $1`

  const reserve: CampaignSends["reserve"] = ({ amount, name, perSecond }) =>
    transaction((query) =>
      Effect.gen(function* () {
        const micros = Math.round((amount * 1_000_000) / perSecond)
        const taken = yield* rowOf(query(take, name, micros), waitOf)
        const wait = taken ?? (yield* rowOf(query(soonest, name), waitOf)) ?? 0
        return { isGranted: taken !== undefined, waitMillis: Math.max(0, wait / 1000) }
      })
    )

  return {
    ...makeTallies(database, rule),
    begin,
    exchange,
    find,
    look: (rows) => rule.look(read, rows),
    others,
    repeated,
    reserve,
    sends
  }
}
