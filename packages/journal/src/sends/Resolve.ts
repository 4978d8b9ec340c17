/** What a person decides about sends of unknown outcome. */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Database, Value } from "../database/Database.ts"
import { checkName, inRange, type Names, rangeOf } from "../model/Names.ts"
import { type Checked, type Option, passing, readOptions } from "../model/Options.ts"
import type { Decision, ToResolve } from "../model/Send.ts"
import type { Rule } from "../Rule.ts"
import type { SendJournal } from "./SendJournal.ts"

/** The state that a person's decision gives a send. */
const decidedState = { sent: "sent", notSent: "closed", resend: "freed" } as const

const wrong = (field: string, problem: string) =>
  new InvalidInput({ operation: "resolve", field, problem })

const checkNames = (value: unknown): Checked<ReadonlyArray<string>> =>
  Array.isArray(value)
    ? Result.all(Array.from(value, (name) => checkName(name)))
    : Result.fail("it must be a list of keys")

const options = {
  campaign: { check: checkName, default: undefined },
  keys: { check: checkNames, default: undefined },
  key: { check: checkName, default: undefined },
  id: {
    check: passing(
      (value): value is number => Number.isSafeInteger(value),
      "it must be the number of a send"
    ),
    default: undefined
  }
} satisfies Record<keyof ToResolve, Option<unknown>>

/** The first value that is not understood. A script without types can pass anything. */
const wrongResolve = (which: ToResolve, decision: Decision): InvalidInput | undefined => {
  const read = readOptions("resolve", options, which, "which")
  if (Result.isFailure(read)) return read.failure
  const { campaign, id, key, keys } = which
  const [chosen, ...others] = [campaign, key, id].filter((value) => value !== undefined)
  // `{ campaign, key }` of `sendOnce` would otherwise be a decision about the whole campaign.
  if (chosen === undefined || others.length > 0 || (keys !== undefined && campaign === undefined)) {
    return wrong("which", "give { campaign }, { campaign, keys }, { key } or { id }")
  }
  return Object.hasOwn(decidedState, decision)
    ? undefined
    : wrong("decision", `it must be "sent", "notSent" or "resend"`)
}

export const makeResolve = (
  { dialect, transaction }: Database,
  { lockSends, sql }: Rule,
  { storedKey }: Names
): SendJournal["Service"]["resolve"] => {
  const { elements, now, table } = dialect
  const send = table("send")

  /**
   * Decides about the sends that a condition selects: those of unknown outcome, and with `takesBack` also those
   * that were decided otherwise and have no later attempt.
   */
  const decide = (
    decision: Decision,
    takesBack: boolean,
    condition: string,
    ...params: ReadonlyArray<Value>
  ) => {
    const state = `$${params.length + 1}`
    const isLast = `not exists (select 1 from ${send} as later
      where later.key = stored.key and later.attempt > stored.attempt)`
    const isOpen = takesBack
      ? `(${sql.isUnknown("stored")}
        or stored.decided_at is not null and stored.state <> ${state} and ${isLast})`
      : sql.isUnknown("stored")
    const update = `update ${send} as stored set state = ${state}, settled_at = ${now}, decided_at = ${now}
      where ${condition} and ${isOpen} returning id`
    return Effect.map(
      transaction((query) =>
        Effect.andThen(
          lockSends(query, condition, params),
          query(update, ...params, decidedState[decision])
        )
      ),
      ({ length }) => length
    )
  }

  return (which, decision) => {
    const problem = wrongResolve(which, decision)
    if (problem !== undefined) return Effect.fail(problem)
    if (which.id !== undefined) return decide(decision, true, "id = $1", which.id)
    if (which.key !== undefined) return decide(decision, true, "key = $1", storedKey(which.key))
    const { campaign, keys } = which
    const { from, to } = rangeOf(campaign)
    if (keys === undefined) return decide(decision, false, inRange, from, to)
    const chosen = JSON.stringify(keys.map((key) => storedKey({ campaign, key })))
    const isChosen = `key in (select value from ${elements("$3")} as chosen)`
    return decide(decision, true, `${inRange} and ${isChosen}`, from, to, chosen)
  }
}
