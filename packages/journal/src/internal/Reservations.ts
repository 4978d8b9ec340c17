/**
 * Rates that all processes of a journal share: for each, the time from which on the next one may go.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database } from "./Database.ts"
import { Integer, rowsOf } from "./Rows.ts"

/**
 * A time that is further ahead was reserved while a clock was wrong: no process reserves so much in
 * advance.
 */
const mostAhead = { micros: 60_000_000, turns: 10 }

const turns = rowsOf(Schema.Struct({ next_at: Integer }))

export const makeReserve = ({ dialect, query }: Database) => {
  const { integer, table } = dialect
  const now = `cast($2 as ${integer})`
  const cost = `cast($3 as ${integer})`
  const latest = `cast($4 as ${integer})`

  /** One statement, so that no two processes get the same time. In microseconds. */
  const statement = `insert into ${table("rate")} as known (scope, next_at) values ($1, ${now} + ${cost})
    on conflict (scope) do update
    set next_at = ${cost}
      + case when known.next_at between ${now} and ${latest} then known.next_at else ${now} end
    returning next_at`

  return Effect.fnUntraced(function* (scope: string, amount: number, perSecond: number) {
    const micros = (yield* Clock.currentTimeMillis) * 1000
    const taken = Math.round((amount * 1_000_000) / perSecond)
    const ahead = mostAhead.micros + mostAhead.turns * taken
    const [turn] = yield* turns(yield* query(statement, scope, micros, taken, micros + ahead))
    return Duration.micros(BigInt(Math.max(0, (turn?.next_at ?? micros) - taken - micros)))
  })
}
