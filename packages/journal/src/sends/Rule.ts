/**
 * The rule of every send, as statements.
 *
 * A key is claimed by inserting its next turn, under a token. Only that token settles it, however late, and
 * `sent` wins over everything. A claim that is older than its request can run reads as unknown. What did not
 * go out and is nobody's decision leaves no row; what was rejected or decided stays, and the next claim of
 * the key has another turn.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Database, Exchange, Query, Value } from "../database/Database.ts"
import { integer, messages, oneOf, optional, type Row, rowsOf, text } from "../database/Rows.ts"
import type { Claim, Decision, KnownSend, SendEnding, SendState, Standing } from "../Send.ts"

/** A request starts at most so long after its claim. */
const deadlineMillis = 10_000

/** The end of a request is written down some time after its time-out, and clocks differ. */
const marginMillis = 5000

/** A claim from further in the future was made while a clock was wrong. */
const toleranceMillis = 60_000

/**
 * Begins the time of a claim, before it is written. Returns whether its request may still start: the process
 * may have been frozen since, and then a person may have decided. A clock that was set back proves nothing.
 */
export const beginClaim = Effect.map(Clock.Clock, (clock) => {
  const claimedAt = clock.currentTimeMillisUnsafe()
  return (): boolean => {
    const now = clock.currentTimeMillisUnsafe()
    return now >= claimedAt && now - claimedAt <= deadlineMillis
  }
})

/** More turns than a key can have. */
const maxTurn = 1_000_000_000

/** The state that a person's decision gives a send of unknown outcome. */
const decidedState = { sent: "sent", notSent: "closed", resend: "freed" } as const

type OwnerName = "program" | "campaign" | "server"

/** A claim as it is stored. */
interface NewClaim {
  readonly key: string
  readonly turn: number
  readonly request: string
  readonly recipient?: string
  readonly caller?: string
  readonly segments?: number
  /** For how long an unknown outcome counts, in milliseconds. Absent: always. */
  readonly unknown_for?: number | undefined
  /** 1 if a person approved a second SMS. */
  readonly again?: 1 | undefined
}

interface NewSettlement {
  readonly claim: Claim
  readonly ending: SendEnding
  /** For how long a sent SMS counts, in milliseconds. Absent: always. */
  readonly sentFor?: number | undefined
}

/** Claims of one owner. */
interface Claims {
  readonly owner: OwnerName
  readonly campaign?: string
  readonly token: string
  /** How long one request may take. */
  readonly timeoutMillis: number
  readonly claim: ReadonlyArray<NewClaim>
}

/** One write: settlements and claims. */
interface Write extends Claims {
  readonly settle: ReadonlyArray<NewSettlement>
}

/** Removes what a database cannot store, so that a text never prevents a settlement. */
const stored = (value: string): string => value.replaceAll("\0", "").toWellFormed()

const settledOf = ({ claim, ending, sentFor }: NewSettlement) => ({
  ...claim,
  state: ending.outcome,
  // The service's response also contains the phone number, which must not be stored.
  messages:
    ending.outcome === "sent"
      ? JSON.stringify(ending.messages.map(({ message_id, status }) => ({ message_id, status })))
      : null,
  reason: "reason" in ending && ending.reason !== undefined ? stored(ending.reason) : null,
  sent_for: sentFor ?? null
})

export const states = ["in-flight", "sent", "unknown", "closed", "rejected", "freed"] as const

/**
 * Of several turns of a key, the one whose state comes first speaks for the key, and of those the last. A
 * rejected or freed turn says nothing once there is another one.
 */
export const precedence: ReadonlyArray<SendState> = ["in-flight", "sent", "unknown", "closed"]

const placeOf = (state: SendState): number =>
  precedence.includes(state) ? precedence.indexOf(state) : precedence.length

/** A row of the table, with the state that it has now. */
export interface Entry {
  readonly send: KnownSend
  readonly token: string
  readonly request: string
  /** Whether it still counts. */
  readonly counts: boolean
}

/** Reads a send. Its key is what comes after the prefix. */
const sendOf = (row: Row, prefix = ""): KnownSend => ({
  id: integer(row, "id"),
  key: text(row, "key").slice(prefix.length),
  turn: integer(row, "turn"),
  state: oneOf(row, "standing", states),
  claimedAt: integer(row, "claimed_at"),
  settledAt: optional(row, "settled_at", integer),
  staleAt: integer(row, "stale_at"),
  countsUntil: optional(row, "counts_until", integer),
  messages: optional(row, "messages", messages) ?? [],
  reason: optional(row, "reason", text),
  recipient: optional(row, "recipient", text),
  caller: optional(row, "caller", text)
})

/** How the key of these entries stands for a request. The entries are in the order of their turns. */
export const standingOf = (entries: ReadonlyArray<Entry>, request: string): Standing => {
  let speaking: Entry | undefined
  for (const entry of entries) {
    const place = placeOf(entry.send.state)
    if (entry.counts && place <= placeOf(speaking?.send.state ?? "freed")) speaking = entry
  }
  const state = speaking?.send.state ?? "freed"
  return {
    state: state === "freed" ? "free" : state,
    turn: (entries.at(-1)?.send.turn ?? -1) + 1,
    isChanged: speaking !== undefined && speaking.request !== request,
    isUnresolved: entries.some(({ send }) => send.state === "unknown"),
    send: speaking?.send
  }
}

/** The parameters of the statement that claims. */
const paramsOf = (claims: Claims): ReadonlyArray<Value> => [
  JSON.stringify(claims.claim),
  claims.owner,
  claims.token,
  // After this time, a claim without an outcome reads as unknown.
  deadlineMillis + claims.timeoutMillis + marginMillis,
  claims.campaign ?? null
]

export const makeRule = ({ dialect, exchange, transaction }: Database) => {
  const { elements, integer: int, now, records, table } = dialect
  const send = table("send")

  const isStale = (row: string) =>
    `${row}.state = 'claimed'
      and (${row}.stale_at <= ${now} or ${row}.claimed_at > ${now} + ${toleranceMillis})`

  const isUnknown = (row: string) => `(${row}.state = 'unknown' or ${isStale(row)})`

  const counts = (row: string) => `(${row}.counts_until is null or ${row}.counts_until > ${now})`

  /** The state of a row as it reads now. */
  const standing = (row: string) =>
    `case when ${isUnknown(row)} then 'unknown' when ${row}.state = 'claimed' then 'in-flight'
      else ${row}.state end`

  const columns = (row: string) =>
    `${row}.*, ${standing(row)} as standing, case when ${counts(row)} then 1 else 0 end as counts`

  /**
   * Only the claim's own token settles it. A person may have decided in the meantime. The range of turns is
   * for PostgreSQL's planner: of a range it expects one row in 200, and then it uses the index. It would
   * expect 100 settlements otherwise, and read the table.
   */
  const settle = (guard: string) => `update ${send} as stored
    set state = fields.state, settled_at = ${now}, messages = fields.messages, reason = fields.reason,
      counts_until = case when fields.state = 'sent' then ${now} + fields.sent_for
        else stored.counts_until end
    from ${records("$6", "key text", `turn ${int}`, "token text", "state text", "messages text", "reason text", `sent_for ${int}`)}
    where ${guard} and fields.state <> 'nothing' and fields.turn between 0 and ${maxTurn}
      and stored.key = fields.key and stored.turn = fields.turn and stored.token = fields.token
      and (stored.state = 'claimed'
        or fields.state = 'sent' and (stored.state <> 'sent' or stored.messages is null))`

  /** The key stands again as it did before. What a person has decided stays. */
  const release = (guard: string) => `delete from ${send}
    where ${guard} and state = 'claimed' and (key, turn, token) in (
      select key, turn, token
      from ${records("$6", "key text", `turn ${int}`, "token text", "state text")}
      where fields.state = 'nothing'
    )`

  /**
   * Whether an earlier turn of the key is in the way: a late response may have come since the key was looked
   * up. A count, and no `exists`: without statistics, PostgreSQL would read the table to find a first row.
   */
  const isFree = `(fields.turn = 0 or (
      select count(*) from ${send} as earlier
      where earlier.key = fields.key and earlier.turn < fields.turn
        and earlier.state in ('claimed', 'sent', 'unknown', 'closed') and ${counts("earlier")}
        and not (coalesce(fields.again, 0) = 1 and (earlier.state = 'sent' or ${isUnknown("earlier")}))
    ) = 0)`

  /**
   * One row, one winner. If the write is repeated after a lost acknowledgement, the token is the same, and
   * the row is returned once more, unless a person has decided since.
   */
  const claim = (guard: string) => `insert into ${send} as stored
      (key, turn, owner, token, request, recipient, caller, segments, state, claimed_at, stale_at, counts_until)
    select fields.key, fields.turn, $2, $3, fields.request, fields.recipient, fields.caller, fields.segments,
      'claimed', ${now}, ${now} + cast($4 as ${int}), ${now} + cast($4 as ${int}) + fields.unknown_for
    from ${records("$1", "key text", `turn ${int}`, "request text", "recipient text", "caller text", `segments ${int}`, `unknown_for ${int}`, `again ${int}`)}
    where ${guard} and ${isFree}
      and (select pruned_at from ${table("campaign")} where name = $5) is null
    order by fields.key
    on conflict (key, turn) do update
      set claimed_at = excluded.claimed_at, stale_at = excluded.stale_at, counts_until = excluded.counts_until
      where stored.token = excluded.token and stored.state = 'claimed'
    returning id, key`

  const statements: Exchange = { settle, release, claim }

  /** Settles and claims, in one write. Returns the keys that were claimed. */
  const write = ({ settle: settlements, ...claims }: Write) =>
    Effect.map(
      rowsOf(
        exchange(statements, ...paramsOf(claims), JSON.stringify(settlements.map(settledOf))),
        (row) => text(row, "key")
      ),
      (keys): ReadonlySet<string> => new Set(keys)
    )

  /** Claims in a transaction. Returns the ids of what was claimed. */
  const claimIn = (query: Query, claims: Claims) =>
    rowsOf(query(claim("1 = 1"), ...paramsOf(claims)), (row) => integer(row, "id"))

  /**
   * Applies a person's decision to those sends of unknown outcome that a condition selects; its parameters
   * begin with `$2`. Returns how many changed.
   */
  const decide = (decision: Decision, condition: string, ...params: ReadonlyArray<Value>) =>
    Effect.map(
      transaction((query) =>
        query(
          `update ${send} as stored set state = $1, settled_at = ${now}
          where ${isUnknown("stored")} and ${condition} returning id`,
          decidedState[decision],
          ...params
        )
      ),
      ({ length }) => length
    )

  /**
   * The first turn of a key is looked up by the whole unique index: without statistics, PostgreSQL would read
   * the table for a key alone. Few keys have a second turn.
   */
  const lookUp = `select ${columns("found")}
    from (select value from ${elements("$1")}) as asked
    join ${send} as found on found.key = asked.value and found.turn = 0
    union all
    select ${columns("found")}
    from (select value from ${elements("$1")}) as asked
    join ${send} as found on found.key = asked.value where found.turn > 0`

  /** The entries of keys that have a prefix in the journal, in the order of their turns. */
  const entries = (query: Query, keys: ReadonlyArray<string>, prefix = "") =>
    Effect.map(
      rowsOf(query(lookUp, JSON.stringify(keys.map((key) => prefix + key))), (row): Entry => ({
        send: sendOf(row, prefix),
        token: text(row, "token"),
        request: text(row, "request"),
        counts: integer(row, "counts") === 1
      })),
      (found) => found.toSorted((one, other) => one.send.turn - other.send.turn)
    )

  /** How each key stands for its request, in the order of the keys, which have a prefix in the journal. */
  const look = Effect.fnUntraced(function* (
    query: Query,
    sends: ReadonlyArray<{ readonly key: string; readonly request: string }>,
    prefix = ""
  ) {
    const keys = sends.map(({ key }) => key)
    const found = Map.groupBy(yield* entries(query, keys, prefix), ({ send: { key } }) => key)
    return sends.map(({ key, request }) => standingOf(found.get(key) ?? [], request))
  })

  return {
    claimIn,
    columns,
    counts,
    decide,
    entries,
    isUnknown,
    look,
    sendOf,
    standing,
    write
  }
}

export type Rule = ReturnType<typeof makeRule>
