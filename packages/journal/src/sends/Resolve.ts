/** What a person decides about sends of unknown outcome. */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Database, Params } from "../database/Database.ts"
import { integer, type StoredRow, rowsOf, text } from "../database/StoredRows.ts"
import { checkName, inRange, type Names, rangeOf } from "../model/Names.ts"
import { type Checked, type Option, passing, readOptions } from "../model/Options.ts"
import { anyDecision, decidedState, type Decision, type ToResolve } from "../model/Send.ts"
import type { Rule } from "../Rule.ts"
import type { WholeJournal } from "./SendJournal.ts"

const wrong = (field: string, problem: string) =>
  new InvalidInput({ operation: "resolve", field, problem })

const listOf =
  <A>(check: (value: unknown) => Checked<A>, what: string) =>
  (value: unknown): Checked<ReadonlyArray<A>> =>
    Array.isArray(value)
      ? Result.all(Array.from(value, (each) => check(each)))
      : Result.fail(`it must be a list of ${what}`)

const checkId = passing(
  (value): value is number => Number.isSafeInteger(value),
  "it must be the number of a send"
)

const isDecision = (value: unknown): value is Decision =>
  typeof value === "string" && Object.hasOwn(decidedState, value)

const decisionProblem = `it must be ${anyDecision}`

const options = {
  campaign: { check: checkName, default: undefined },
  keys: { check: listOf(checkName, "keys"), default: undefined },
  key: { check: checkName, default: undefined },
  ids: { check: listOf(checkId, "numbers of sends"), default: undefined },
  was: { check: passing(isDecision, decisionProblem), default: undefined }
} satisfies Record<keyof ToResolve, Option<unknown>>

/** The first value that is not understood. A script without types can pass anything. */
const wrongTarget = (which: ToResolve): InvalidInput | undefined => {
  const read = readOptions("resolve", options, which, "which")
  if (Result.isFailure(read)) return read.failure
  const { campaign, ids, key, keys } = which
  if ("keys" in which && keys === undefined) {
    return wrong("keys", "it must be a list of keys; left out, it is the whole campaign")
  }
  const [chosen, ...others] = [campaign, key, ids].filter((value) => value !== undefined)
  // `{ campaign, key }` of `sendOnce` would otherwise be a decision about the whole campaign.
  return chosen === undefined || others.length > 0 || (keys !== undefined && campaign === undefined)
    ? wrong("which", "give { campaign }, { campaign, keys }, { key } or { ids }")
    : undefined
}

/** The sends that were chosen, as a condition, and their ids or keys if these were given. */
interface Chosen {
  readonly condition: string
  readonly params: Params
  readonly names: ReadonlySet<number | string>
  /** Which of the names a row has. */
  readonly nameOf: (row: StoredRow) => number | string
}

export const makeResolve = (
  { dialect, transaction }: Database,
  { list, lockSends, sql }: Rule,
  { storedKey }: Names
): Pick<WholeJournal, "decidable" | "resolve"> => {
  const { elements, integer: int, now, table } = dialect
  const send = table("send")

  const named = (given: ReadonlyArray<number | string>, column: "id" | "key"): Chosen => {
    const [type, nameIn] = column === "id" ? [int, integer] : ["text", text]
    return {
      condition: `${column} in (select cast(value as ${type}) from ${elements("$chosen")} as chosen)`,
      params: { chosen: JSON.stringify(given) },
      names: new Set(given),
      nameOf: (row) => nameIn(row, column)
    }
  }

  const chosenBy = ({ campaign, ids, key, keys }: ToResolve): Chosen => {
    if (ids !== undefined) return named(ids, "id")
    if (key !== undefined) return named([storedKey(key)], "key")
    if (keys !== undefined) {
      return named(
        keys.map((each) => storedKey({ campaign, key: each })),
        "key"
      )
    }
    return { condition: inRange, params: rangeOf(campaign), names: new Set(), nameOf: () => "" }
  }

  /** Whether a row stands as it did when the person was asked: a decision covers nothing else. */
  const isAsShown = (was: Decision | undefined) =>
    was === undefined
      ? sql.isUnknown("stored")
      : `(stored.decided_at is not null and stored.state = '${decidedState[was]}'
        and not exists (select 1 from ${send} as later
          where later.key = stored.key and later.attempt > stored.attempt))`

  return {
    decidable: (which) => {
      const problem = wrongTarget(which)
      if (problem !== undefined) return Effect.fail(problem)
      const { condition, params } = chosenBy(which)
      return list(`${condition} and ${isAsShown(which.was)} order by id`, params)
    },
    resolve: (which, decision) => {
      const problem = wrongTarget(which)
      if (problem !== undefined) return Effect.fail(problem)
      if (!isDecision(decision)) return Effect.fail(wrong("decision", decisionProblem))
      if (decision === which.was) return Effect.fail(wrong("was", "it must be another decision"))
      const { condition, nameOf, names, params } = chosenBy(which)
      const update = `update ${send} as stored
        set state = '${decidedState[decision]}', settled_at = ${now}, decided_at = ${now}
        where ${condition} and ${isAsShown(which.was)} returning id, key`
      const write = transaction(
        (query) => Effect.andThen(lockSends(query, condition, params), query(update, params)),
        "some"
      )
      return Effect.map(rowsOf(write, nameOf), (rows) => {
        const changed = new Set(rows)
        const others = [...names].filter((name) => !changed.has(name))
        return { changed: rows.length, meanwhile: others.length }
      })
    }
  }
}
