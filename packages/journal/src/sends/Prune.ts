/**
 * What is forgotten: always all attempts of a key. One attempt that is left alone could say something else than
 * its key did.
 */
import { InvalidInput } from "@messaging-topup/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Database } from "../database/Database.ts"
import { integer as integerOf, rowOf } from "../database/Rows.ts"
import { CampaignUndecided } from "../model/Errors.ts"
import { inRange, nameProblem, rangeOf } from "../model/Names.ts"
import type { Rule } from "../Rule.ts"
import type { WholeJournal } from "./SendJournal.ts"

/**
 * So many milliseconds the sends of each owner are kept at least: the longest period of a limit, which is longer
 * than what the server sent counts as sent.
 */
const keptFor = { program: 0, server: 24 * 60 * 60 * 1000 }

const wrong = (field: string, problem: string) =>
  Effect.fail(new InvalidInput({ operation: "prune", field, problem }))

/** In milliseconds. Not a number would otherwise be no time at all, and delete everything. */
const readAge = (given: Duration.Input) => {
  const millis = Option.match(Duration.fromInput(given), {
    onNone: () => Number.NaN,
    onSome: Duration.toMillis
  })
  return Number.isFinite(millis) && millis >= 0 && !Number.isNaN(given)
    ? Effect.succeed(millis)
    : wrong("olderThan", `it must be a duration such as "90 days", or a number of milliseconds`)
}

const sumOf = (condition: string) => `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`

export const makePrune = (
  { dialect, transaction }: Database,
  { sql }: Rule
): WholeJournal["prune"] => {
  const { integer, now, table } = dialect
  const send = table("send")

  /** Whether sends may be deleted: none is in flight and, unless `unknown` is 1, none of unknown outcome. */
  const isDecided = (unknown: string) => `${sumOf(`${sql.standing("stored")} = 'in-flight'`)} = 0
    and (cast(${unknown} as ${integer}) = 1 or ${sumOf(sql.isUnknown("stored"))} = 0)`

  /** Deletes the sends of one owner to which nothing happened for so many milliseconds. */
  const old = (owner: keyof typeof keptFor) => {
    const isOver = `${isDecided("$1")}
      and max(coalesce(stored.settled_at, stored.stale_at)) <= ${now} - cast($2 as ${integer})`
    return `delete from ${send} where owner = '${owner}' and key in (
        select key from ${send} as stored where owner = '${owner}' group by key having ${isOver}
      ) returning id`
  }

  const single = (owner: keyof typeof keptFor, olderThan: Duration.Input, unknown: number) =>
    Effect.flatMap(readAge(olderThan), (millis) =>
      Effect.map(
        transaction((query) => query(old(owner), unknown, Math.max(millis, keptFor[owner]))),
        ({ length }) => length
      )
    )

  const campaign = Effect.fnUntraced(function* (name: string, unknown: number) {
    const problem = nameProblem(name)
    if (problem !== undefined) return yield* wrong("campaign", problem)
    const { from, to } = rangeOf(name)
    const free = `select case when ${isDecided("$3")} then 1 else 0 end as is_free
      from ${send} as stored where ${inRange}`
    const mark = `update ${table("campaign")} set pruned_at =`
    return yield* transaction((query) =>
      Effect.gen(function* () {
        // From now on, no other process claims a row of it.
        yield* query(`${mark} ${now} where name = $1`, name)
        const isFree = yield* rowOf(query(free, from, to, unknown), (row) =>
          integerOf(row, "is_free")
        )
        if (isFree !== 1) return yield* Effect.fail(new CampaignUndecided({ campaign: name }))
        return (yield* query(`delete from ${send} where ${inRange} returning id`, from, to)).length
      })
    )
  })

  return (which) => {
    const unknown = which.unknown === true ? 1 : 0
    if ((which.campaign === undefined) === (which.olderThan === undefined)) {
      return wrong("which", "give { campaign } or { olderThan }")
    }
    return which.campaign === undefined
      ? single(which.owner ?? "program", which.olderThan, unknown)
      : campaign(which.campaign, unknown)
  }
}
