/**
 * What is forgotten: always all attempts of a key. One attempt that is left alone could say something else than
 * its key did.
 */
import { InvalidInput } from "@messaging-topup/core"
import { flag, millisOf } from "@messaging-topup/core/internal"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Database } from "../database/Database.ts"
import { integer as integerOf, rowOf } from "../database/StoredRows.ts"
import { CampaignUndecided } from "../model/Errors.ts"
import { checkName, inRange, rangeOf } from "../model/Names.ts"
import { type Checked, type Option, readOptions } from "../model/Options.ts"
import { longestCountMillis, type Rule } from "../Rule.ts"
import type { ToPrune, WholeJournal } from "./SendJournal.ts"

/** So many milliseconds the sends of each owner are kept at least: those of the server as long as anything counts them. */
const keptFor = { program: 0, server: longestCountMillis }

const wrongWhich = () =>
  new InvalidInput({
    operation: "prune",
    field: "which",
    problem: "give { campaign } or { olderThan }"
  })

/**
 * In milliseconds. Not a number, or an object without a unit, such as a Date, would otherwise be no time at all,
 * and delete everything.
 */
const checkAge = (given: unknown): Checked<number> => {
  const millis = millisOf(given)
  const isUnitless = Predicate.isObject(given) && !Duration.isDuration(given) && millis === 0
  return Number.isFinite(millis) && millis >= 0 && !Number.isNaN(given) && !isUnitless
    ? Result.succeed(millis)
    : Result.fail(`it must be a duration such as "90 days", or a number of milliseconds`)
}

const options = {
  campaign: { check: checkName, default: undefined },
  olderThan: { check: checkAge, default: undefined },
  unknown: { check: flag, default: false }
} satisfies Record<keyof ToPrune, Option<unknown>>

const sumOf = (condition: string) => `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`

export const makePrune = (
  { dialect, transaction }: Database,
  { lockSends, sql }: Rule
): WholeJournal["prune"] => {
  const { integer, now, table } = dialect
  const send = table("send")

  /** Whether sends may be deleted: none is in flight and, unless `$unknown` is 1, none of unknown outcome. */
  const isDecided = `${sumOf(`${sql.standing("stored")} = 'in-flight'`)} = 0
    and (cast($unknown as ${integer}) = 1 or ${sumOf(sql.isUnknown("stored"))} = 0)`

  /** The sends of one owner to which nothing happened for so many milliseconds. */
  const old = (owner: keyof typeof keptFor) => {
    const isOver = `${isDecided}
      and max(coalesce(stored.settled_at, stored.stale_at)) <= ${now} - cast($age as ${integer})`
    return `owner = '${owner}' and key in (
        select key from ${send} as stored where owner = '${owner}' group by key having ${isOver}
      )`
  }

  const single = (owner: keyof typeof keptFor, olderThan: number, unknown: number) =>
    Effect.map(
      transaction((query) => {
        const params = { unknown, age: Math.max(olderThan, keptFor[owner]) }
        // A claim that was under way is committed then, and its key stays.
        return Effect.andThen(
          lockSends(query, old(owner), params),
          query(`delete from ${send} where ${old(owner)} returning id`, params)
        )
      }),
      ({ length }) => length
    )

  const campaign = Effect.fnUntraced(function* (name: string, unknown: number) {
    const range = rangeOf(name)
    const known = `select case when ${isDecided} then 1 else 0 end as is_free,
        cast(count(distinct key) as ${integer}) as total
      from ${send} as stored where ${inRange}`
    const mark = `update ${table("campaign")} set pruned_at =`
    return yield* transaction((query) =>
      Effect.gen(function* () {
        // From now on, no other process claims a row of it.
        yield* query(`${mark} ${now} where name = $name`, { name })
        const rows = yield* rowOf(query(known, { ...range, unknown }), (row) =>
          integerOf(row, "is_free") === 1 ? integerOf(row, "total") : undefined
        )
        if (rows === undefined) return yield* Effect.fail(new CampaignUndecided({ campaign: name }))
        yield* query(`delete from ${send} where ${inRange}`, range)
        return rows
      })
    )
  })

  return (which, owner = "program") => {
    const read = readOptions("prune", options, which, "which")
    if (Result.isFailure(read)) return Effect.fail(read.failure)
    const { campaign: name, olderThan, unknown } = read.success
    const withUnknown = unknown ? 1 : 0
    if (name !== undefined && olderThan === undefined) return campaign(name, withUnknown)
    return name === undefined && olderThan !== undefined
      ? single(owner, olderThan, withUnknown)
      : Effect.fail(wrongWhich())
  }
}
