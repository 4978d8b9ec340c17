/**
 * Rates that all processes of a journal share. For each rate, the journal stores when the next send may
 * start.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Database } from "./Database.ts"
import { Integer, rowsOf } from "./Rows.ts"

/**
 * No process reserves further ahead than this. A stored time beyond it comes from a clock that was wrong.
 */
const maxAhead = { micros: 60_000_000, turns: 10 }

const turns = rowsOf(Schema.Struct({ next_at: Integer }))

export const makeReserve = ({ dialect, query }: Database) => {
  const { integer, table } = dialect
  const now = `cast($2 as ${integer})`
  const cost = `cast($3 as ${integer})`
  const latest = `cast($4 as ${integer})`

  /** A single statement, so that no two processes get the same time. Times are in microseconds. */
  const statement = `insert into ${table("rate")} as stored (scope, next_at) values ($1, ${now} + ${cost})
    on conflict (scope) do update
    set next_at = ${cost}
      + case when stored.next_at between ${now} and ${latest} then stored.next_at else ${now} end
    returning next_at`

  return Effect.fnUntraced(function* (scope: string, amount: number, perSecond: number) {
    const micros = (yield* Clock.currentTimeMillis) * 1000
    const reserved = Math.round((amount * 1_000_000) / perSecond)
    const ahead = maxAhead.micros + maxAhead.turns * reserved
    const [turn] = yield* turns(yield* query(statement, scope, micros, reserved, micros + ahead))
    return Duration.micros(BigInt(Math.max(0, (turn?.next_at ?? micros) - reserved - micros)))
  })
}
