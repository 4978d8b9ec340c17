/** The sends of campaigns: many keys in one statement. */
import { InvalidInput } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { campaignKey, type CampaignSends, type KnownCampaign } from "../CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { integer, optional, type Row, rowsOf, text } from "../database/Rows.ts"
import { CampaignPruned } from "../Errors.ts"
import type { Claim, Decision, KnownSend } from "../Send.ts"
import { nameProblem, rangeOf } from "./Names.ts"
import {
  byKey,
  decidedState,
  makeRule,
  mayStart,
  paramsOf,
  staleMillis,
  standingOf
} from "./Rule.ts"

const campaignOf = (row: Row): KnownCampaign => {
  const prunedAt = optional(row, "pruned_at", integer)
  return {
    name: text(row, "name"),
    startedAt: integer(row, "started_at"),
    ...(prunedAt === undefined ? {} : { prunedAt })
  }
}

type Operations = Pick<
  CampaignSends,
  "begin" | "exchange" | "find" | "look" | "recipients" | "resolve" | "sends"
>

export const makeCampaigns = (database: Database): Operations => {
  const { dialect, exchange: write, read, transaction } = database
  const { elements, now, table } = dialect
  const rule = makeRule(dialect)
  const send = table("send")
  const campaigns = table("campaign")

  const find = (campaign: string) =>
    Effect.map(
      rowsOf(
        read(`select name, started_at, pruned_at from ${campaigns} where name = $1`, campaign),
        campaignOf
      ),
      ([found]) => found
    )

  const begin = Effect.fnUntraced(function* (campaign: string) {
    const problem = nameProblem(campaign)
    if (problem !== undefined) {
      return yield* Effect.fail(
        new InvalidInput({ field: "campaign", problem, operation: "sendMany" })
      )
    }
    const known = yield* find(campaign)
    if (known?.prunedAt !== undefined) return yield* Effect.fail(new CampaignPruned({ campaign }))
    if (known !== undefined) return
    yield* transaction((query) =>
      query(
        `insert into ${campaigns} (name, started_at) values ($1, ${now}) on conflict (name) do nothing`,
        campaign
      )
    )
  })

  const look: CampaignSends["look"] = Effect.fnUntraced(function* (campaign, rows) {
    const keys = rows.map(({ key }) => campaignKey(campaign, key))
    const found = byKey(yield* rule.entries(read, keys))
    const { length } = rangeOf(campaign).from
    return rows.map(({ request }, index) => {
      const { send: known, ...standing } = standingOf(found.get(keys[index] ?? "") ?? [], request)
      return known === undefined
        ? standing
        : { ...standing, send: { ...known, key: known.key.slice(length) } }
    })
  })

  const exchange: CampaignSends["exchange"] = Effect.fnUntraced(function* (campaign, turn) {
    const clock = yield* Clock.Clock
    const claimedAt = clock.currentTimeMillisUnsafe()
    const { token } = turn
    const stored = turn.claim.map((row) => ({ ...row, key: campaignKey(campaign, row.key) }))
    const rows = yield* rowsOf(
      write(
        rule.exchange,
        ...paramsOf({
          owner: "campaign",
          campaign,
          token,
          staleMillis: staleMillis(turn.timeoutMillis),
          settle: turn.settle,
          claim: stored
        })
      ),
      (row) => text(row, "key")
    )
    const granted = new Set(rows)
    const claims = new Map<string, Claim>()
    for (const [index, { key, turn: nth }] of stored.entries()) {
      const row = turn.claim[index]?.key
      if (row !== undefined && granted.has(key)) claims.set(row, { key, turn: nth, token })
    }
    return { claims, mayStart: () => mayStart(claimedAt, clock.currentTimeMillisUnsafe()) }
  })

  const recipients: CampaignSends["recipients"] = (campaign, { after = "", limit }) => {
    const { from, to } = rangeOf(campaign)
    return rowsOf(
      read(
        `select key, recipient from ${send}
        where key > $1 and key < $2 and owner = 'campaign' and state in ('claimed', 'sent', 'unknown')
        order by key limit $3`,
        campaignKey(campaign, after),
        to,
        limit
      ),
      (row) => ({ key: text(row, "key").slice(from.length), recipient: text(row, "recipient") })
    )
  }

  const allStates = ["in-flight", "sent", "unknown", "rejected", "closed", "freed"] as const

  /** The keys come first: a state that one turn has is not always that of its key. */
  const sends: CampaignSends["sends"] = Effect.fnUntraced(function* (
    campaign,
    { after = "", limit, states = allStates }
  ) {
    const { from, to } = rangeOf(campaign)
    const found: Array<KnownSend> = []
    let last: string | undefined = campaignKey(campaign, after)
    while (last !== undefined && found.length < limit) {
      const keys: ReadonlyArray<string> = yield* rowsOf(
        read(
          `select distinct key from ${send} as stored
          where key > $1 and key < $2 and owner = 'campaign'
            and ${rule.standing("stored")} in (select value from ${elements("$3")} as states)
          order by key limit $4`,
          last,
          to,
          JSON.stringify(states),
          limit - found.length
        ),
        (row) => text(row, "key")
      )
      const entries = byKey(yield* rule.entries(read, keys))
      for (const key of keys) {
        const { send: known } = standingOf(entries.get(key) ?? [], "")
        if (known === undefined || !states.includes(known.state)) continue
        found.push({ ...known, key: key.slice(from.length) })
      }
      last = keys.at(-1)
    }
    return found
  })

  const resolve = (campaign: string, decision: Decision, keys?: ReadonlyArray<string>) => {
    const { from, to } = rangeOf(campaign)
    const chosen =
      keys === undefined ? "$4 = $4" : `key in (select value from ${elements("$4")} as chosen)`
    return Effect.map(
      transaction((query) =>
        query(
          `update ${send} as stored set state = $3, settled_at = ${now}
          where key > $1 and key < $2 and owner = 'campaign' and ${rule.isUnknown("stored")} and ${chosen}
          returning key`,
          from,
          to,
          decidedState[decision],
          JSON.stringify((keys ?? []).map((key) => campaignKey(campaign, key)))
        )
      ),
      ({ length }) => length
    )
  }

  return {
    begin,
    exchange,
    find,
    look,
    recipients,
    resolve,
    sends
  }
}
