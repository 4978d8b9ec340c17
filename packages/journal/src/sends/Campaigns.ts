/** The sends of campaigns: many keys in one statement. */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { campaignKey, type CampaignSends } from "../CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { integer, optional, rowsOf, text } from "../database/Rows.ts"
import { CampaignPruned } from "../Errors.ts"
import type { Claim, Decision, KnownSend } from "../Send.ts"
import { nameProblem, rangeOf } from "./Names.ts"
import { beginClaim, type Rule, states as allStates } from "./Rule.ts"

type Operations = Pick<
  CampaignSends,
  "begin" | "exchange" | "find" | "look" | "recipients" | "resolve" | "sends"
>

export const makeCampaigns = ({ dialect, read, transaction }: Database, rule: Rule): Operations => {
  const { elements, table } = dialect
  const send = table("send")
  const campaigns = table("campaign")

  const find = (campaign: string) =>
    Effect.map(
      rowsOf(
        read(`select options, pruned_at from ${campaigns} where name = $1`, campaign),
        (row) => ({
          options: optional(row, "options", text),
          prunedAt: optional(row, "pruned_at", integer)
        })
      ),
      ([found]) => found
    )

  const begin: CampaignSends["begin"] = Effect.fnUntraced(function* (campaign, { options } = {}) {
    const problem = nameProblem(campaign)
    if (problem !== undefined) {
      return yield* Effect.fail(
        new InvalidInput({ field: "campaign", problem, operation: "sendMany" })
      )
    }
    const known = yield* find(campaign)
    if (known?.prunedAt !== undefined) return yield* Effect.fail(new CampaignPruned({ campaign }))
    if (known !== undefined && (known.options ?? options) === known.options) return
    yield* transaction((query) =>
      query(
        `insert into ${campaigns} as known (name, options) values ($1, $2)
        on conflict (name) do update set options = coalesce(known.options, excluded.options)`,
        campaign,
        options ?? null
      )
    )
  })

  const look: CampaignSends["look"] = (campaign, rows) =>
    rule.look(read, rows, rangeOf(campaign).from)

  const exchange: CampaignSends["exchange"] = Effect.fnUntraced(function* (campaign, turn) {
    const mayStart = yield* beginClaim
    const { from } = rangeOf(campaign)
    const claim = turn.claim.map((row) => ({ ...row, key: from + row.key }))
    const granted = yield* rule.write({ ...turn, owner: "campaign", campaign, claim })
    const claims = new Map<string, Claim>()
    for (const { key, turn: nth } of claim) {
      if (!granted.has(key)) continue
      claims.set(key.slice(from.length), { key, turn: nth, token: turn.token })
    }
    return { claims, mayStart }
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

  /** The keys come first: a state that one turn has is not always that of its key. */
  const sends: CampaignSends["sends"] = Effect.fnUntraced(function* (
    campaign,
    { after = "", limit, states = allStates }
  ) {
    const { from, to } = rangeOf(campaign)
    const found: Array<KnownSend> = []
    let last: string | undefined = after
    while (last !== undefined && found.length < limit) {
      const keys: ReadonlyArray<string> = yield* rowsOf(
        read(
          `select distinct key from ${send} as stored
          where key > $1 and key < $2 and owner = 'campaign'
            and ${rule.standing("stored")} in (select value from ${elements("$3")} as states)
          order by key limit $4`,
          from + last,
          to,
          JSON.stringify(states),
          limit - found.length
        ),
        (row) => text(row, "key").slice(from.length)
      )
      const looked = keys.map((key) => ({ key, request: "" }))
      for (const { send: known } of yield* rule.look(read, looked, from)) {
        if (known !== undefined && states.includes(known.state)) found.push(known)
      }
      last = keys.at(-1)
    }
    return found
  })

  const resolve = (campaign: string, decision: Decision, keys?: ReadonlyArray<string>) => {
    const { from, to } = rangeOf(campaign)
    const ofIt = "key > $2 and key < $3 and owner = 'campaign'"
    if (keys === undefined) return rule.decide(decision, ofIt, from, to)
    const chosen = JSON.stringify(keys.map((key) => campaignKey(campaign, key)))
    return rule.decide(
      decision,
      `${ofIt} and key in (select value from ${elements("$4")} as chosen)`,
      from,
      to,
      chosen
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
