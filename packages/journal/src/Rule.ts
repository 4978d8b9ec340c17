/**
 * The rule of every send, as statements.
 *
 * A key is claimed by inserting its next attempt, under a ticket. Only that ticket settles it, however late, and
 * `sent` wins over everything. A claim that is older than its request can run reads as unknown. What did not
 * go out and is nobody's decision leaves no row; what was rejected or decided stays, and the next claim of
 * the key is another attempt.
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import {
  type Database,
  isOneOf,
  type Params,
  type Query,
  type WriteStatements
} from "./database/Database.ts"
import { integer, optional, rowOf, rowsOf, sendOf, text } from "./database/StoredRows.ts"
import { namesOf, prefixOf } from "./model/Names.ts"
import { type AskedKey, countsForMillis, sameTextMillis, type Settlement } from "./model/Send.ts"
import { type Attempt, standingOf } from "./model/Standing.ts"
import { inTheWay, mayBeOut, precedence } from "./model/States.ts"
import { makeAddress } from "./Address.ts"
import { makeOlderCopy } from "./OlderCopy.ts"
import {
  type ClaimOptions,
  type Described,
  type NewClaim,
  paramsOf,
  settledOf,
  type Write,
  type Written
} from "./Write.ts"

/** A claim from further in the future was made while a clock was wrong. */
export const toleranceMillis = 60_000

/** The longest time that something counts the sends of a server: so long they are kept. */
export const longestCountMillis = Math.max(countsForMillis, sameTextMillis)

/** More attempts than a key can have. */
const maxAttempt = 1_000_000_000

/** Another send that makes a row a second SMS to somebody: the last one of them. */
export interface OtherSend {
  /** Absent for a send of a program or of the server. */
  readonly campaign?: string | undefined
  /** When it was claimed, in milliseconds since 1970. */
  readonly claimedAt: number
}

/**
 * Until when a sent SMS of the server counts. From the later of its two times, so that a clock which was set back
 * in between opens nothing.
 */
const countsUntil = (row: string) =>
  `case when ${row}.state = 'sent' and ${row}.owner = 'server' then
    case when ${row}.settled_at > ${row}.claimed_at then ${row}.settled_at else ${row}.claimed_at end
    + ${countsForMillis} end`

/**
 * Whether another send is of a campaign: `$prefix` is what its keys begin with. No range of keys, so that no planner
 * prefers their index.
 */
const isOwn = "substr(other.key, 1, length(cast($prefix as text))) = cast($prefix as text)"

export const makeRule = (database: Database) => {
  const { dialect, read, search } = database
  const { elements, forUpdate, integer: int, jsonTable, now, table, uptime } = dialect
  const send = table("send")

  /**
   * Whether the machine has run as long as the request may, or was started anew. A clock that is wrong says
   * nothing alone: it would free what is in flight.
   */
  const isOver = (row: string) =>
    `coalesce(${uptime} >= ${row}.stale_uptime
      or ${uptime} < ${row}.stale_uptime - (${row}.stale_at - ${row}.claimed_at), 1 = 1)`

  const isStale = (row: string) =>
    `${row}.state = 'claimed' and ${isOver(row)}
      and (${row}.stale_at <= ${now} or ${row}.claimed_at > ${now} + ${toleranceMillis})`

  const isUnknown = (row: string) => `(${row}.state = 'unknown' or ${isStale(row)})`

  /** The state of a row as it reads now. */
  const standing = (row: string) =>
    `case when ${isUnknown(row)} then 'unknown' when ${row}.state = 'claimed' then 'in-flight'
      else ${row}.state end`

  /**
   * The rank of an attempt: of all attempts of a key that still count, the one with the lowest rank speaks for
   * it, and of several the last.
   */
  const rank = (row: string) =>
    `case ${standing(row)} ${precedence.map((state, at) => `when '${state}' then ${at}`).join(" ")}
      else ${precedence.length} end`

  const columns = (row: string) =>
    `${row}.*, ${standing(row)} as standing, ${rank(row)} as rank, ${countsUntil(row)} as counts_until,
      case when ${countsUntil(row)} <= ${now} then 0 else 1 end as counts`

  /**
   * Only the claim's own ticket settles it. A person may have decided in the meantime, and what the service
   * said replaces it. The range of attempts is for PostgreSQL's planner: of a range it expects one row in 200,
   * and then it uses the index. It would expect 100 settlements otherwise, and read the table.
   */
  const settle = (guard: string) => `update ${send} as stored
    set state = fields.state, settled_at = ${now}, decided_at = null, messages = fields.messages,
      reason = fields.reason
    from ${jsonTable("$settlements", "key text", `attempt ${int}`, "ticket text", "state text", "messages text", "reason text")}
    where ${guard} and fields.state <> 'nothing' and fields.attempt between 0 and ${maxAttempt}
      and stored.key = fields.key and stored.attempt = fields.attempt and stored.ticket = fields.ticket
      and (stored.state = 'claimed'
        or fields.state = 'sent' and (stored.state <> 'sent' or stored.messages is null))`

  /**
   * Whether the campaign was pruned, and how many settlements miss the rows of their claims. What left nothing proves
   * nothing: its row may be released already. Counts, and ranges of attempts, for PostgreSQL's planner.
   */
  const before = `select (select pruned_at from ${table("campaign")} where name = $campaign) as pruned_at,
    cast(count(*) as ${int}) as missing
    from ${jsonTable("$settlements", "key text", `attempt ${int}`, "ticket text", "state text")}
    where fields.state <> 'nothing' and (
      select count(*) from ${send} as stored
      where stored.key = fields.key and stored.attempt = fields.attempt and stored.ticket = fields.ticket
        and stored.attempt between 0 and ${maxAttempt}
    ) = 0`

  /** The key stands again as it did before. What a person has decided stays. */
  const release = (guard: string) => `delete from ${send}
    where ${guard} and state = 'claimed' and (key, attempt, ticket) in (
      select key, attempt, ticket
      from ${jsonTable("$settlements", "key text", `attempt ${int}`, "ticket text", "state text")}
      where fields.state = 'nothing'
    )`

  /**
   * Whether nothing of the key is in the way: a late response may have come since it was looked up, or a person
   * has decided otherwise. The attempt before is there, or the key was forgotten since, and another call may have begun
   * it anew. Earlier attempts are locked, so that nobody decides about them meanwhile. A count, and
   * no `exists`: without statistics, PostgreSQL would read the table to find a first row. And a filter, and no
   * `where`: PostgreSQL would lock only the attempts that are in the way already. A range of attempts, as
   * above: it would compile the statement for the thousands of rows that it expects.
   */
  const isFree = `(fields.attempt = 0 or (
      select count(*) filter (where earlier.attempt = fields.attempt - 1)
        - count(*) filter (where ${isOneOf("earlier.state", inTheWay)})
      from (
        select * from ${send} as before
        where before.key = fields.key and before.attempt between 0 and fields.attempt - 1 ${forUpdate}
      ) as earlier
    ) = 1)`

  /** Whether a send is of so many days that it still counts. A time in the future is. */
  const isRecent = (other: string): string => `${other}.claimed_at > ${now} - ${sameTextMillis}`

  /** Whether a send has the same text to the same number, which is in the content, and still counts. */
  const isSameText = (other: string): string =>
    `${other}.content = fields.content and ${isRecent(other)}`

  /**
   * A value of the other sends that make this one a second SMS: those of the same campaign to the same
   * recipient, and those of anybody with the same content, which has the recipient in it. A time in the future
   * counts.
   */
  const ofOthers = (value: string) => `(select ${value} from ${send} as other
      where other.recipient = fields.recipient and ${isOneOf("other.state", mayBeOut)}
        and other.key <> fields.key
        and (${isOwn}
          or ${isSameText("other")}))`

  /** A count, as in `isFree`. */
  const isFirst = `(fields.may_repeat = 1 or ${ofOthers("count(*)")} = 0)`

  /** The columns of a claim, with their types: a new fact does not compile without its own. */
  const types: Readonly<Record<keyof NewClaim | "owner", string>> = {
    key: "text",
    attempt: int,
    owner: "text",
    request: "text",
    recipient: "text",
    content: "text",
    caller: "text",
    batch: "text",
    segments: int
  }
  const facts = Struct.keys(types)

  /** The times of a claim. */
  const times = {
    claimed_at: now,
    stale_at: `${now} + cast($staleAfter as ${int})`,
    stale_uptime: `${uptime} + cast($staleAfter as ${int})`
  }
  const timeNames = Struct.keys(times)

  /**
   * One row, one winner. If the write is repeated after a lost acknowledgement, the ticket is the same, and
   * the row is returned once more, unless a person has decided since.
   */
  const insert = (condition: string) =>
    `insert into ${send} as stored
      (${facts.join(", ")}, ticket, state, ${timeNames.join(", ")})
    select ${facts.map((name) => `fields.${name}`).join(", ")}, $ticket, 'claimed', ${Object.values(times).join(", ")}
    from ${jsonTable("$claims", ...facts.map((name) => `${name} ${types[name]}`), `may_repeat ${int}`)}
    where ${condition}
      and (select pruned_at from ${table("campaign")} where name = $campaign) is null
    on conflict (key, attempt) do update
      set ${timeNames.map((name) => `${name} = excluded.${name}`).join(", ")}
      where stored.ticket = excluded.ticket and stored.state = 'claimed'
    returning id, key, claimed_at`

  const claim = (guard: string) => insert(`${guard} and ${isFree}`)
  const claimAsking = (guard: string) => insert(`${guard} and ${isFree} and ${isFirst}`)

  const olderCopy = makeOlderCopy()
  const address = makeAddress(database)

  /**
   * Settles and claims, in one write. No two claims of one write have the same key, and none that may not repeat has
   * the recipient of another one: a statement does not see what it inserts.
   */
  const write = ({ claim: rows, settle: settlements, ...options }: Write) => {
    const claims = rows.map(({ mayRepeat, ...row }) => ({ ...row, may_repeat: mayRepeat ? 1 : 0 }))
    const isAsking = rows.some(({ mayRepeat }) => !mayRepeat)
    const statements: WriteStatements = {
      before,
      ...(settlements.length === 0 ? {} : { settle, release }),
      ...(rows.length === 0 ? {} : { claim: isAsking ? claimAsking : claim })
    }
    const written = database.write(
      statements,
      isAsking ? "asking" : rows.length === 0 ? "none" : "some",
      {
        ...paramsOf(claims, options),
        settlements: JSON.stringify(settlements.map(settledOf)),
        prefix: prefixOf(options.campaign ?? "")
      }
    )
    const results = rowsOf(written, (row) => ({
      key: optional(row, "key", text),
      id: optional(row, "id", integer),
      missing: integer(row, "missing"),
      isPruned: optional(row, "pruned_at", integer) !== undefined
    }))
    return Effect.map(results, (all): Written => {
      const { isPruned = false, missing = 0 } = { ...all[0] }
      if (!isPruned) olderCopy.onMissing(missing)
      const claimed = new Map(all.flatMap(({ id = 0, key }) => (key ? [[key, id] as const] : [])))
      const isOlderCopy = olderCopy.onClaimed([...claimed.values()], options.newestId)
      return { claimed, missing, isOlderCopy, isPruned }
    })
  }

  /**
   * Returns which rows of a campaign would be a second SMS to somebody, by their keys, each with the other one:
   * one of the campaign if there is one, and of several the last.
   */
  const repeated = (campaign: string, claims: ReadonlyArray<Described>) => {
    const last = `max(case when ${isOwn} then '1' else '0' end || ' ' || cast(other.claimed_at as text) || ' ' || other.key)`
    const sql = `select fields.key, ${ofOthers(last)} as last
      from ${jsonTable("$asked", "key text", "recipient text", "content text")}`
    const asked = claims.map(({ content, key, recipient }) => ({ key, recipient, content }))
    return Effect.map(
      rowsOf(search(sql, { asked: JSON.stringify(asked), prefix: prefixOf(campaign) }), (row) => ({
        key: text(row, "key"),
        last: optional(row, "last", text)
      })),
      (rows): ReadonlyMap<string, OtherSend> =>
        new Map(
          rows.flatMap(({ key, last: found }) => {
            if (found === undefined) return []
            const [, claimedAt, ...other] = found.split(" ")
            const { campaign: name } = namesOf(other.join(" "))
            return [[key, { campaign: name, claimedAt: Number(claimedAt) }]]
          })
        )
    )
  }

  /**
   * Claims one key in a transaction that has locked its attempts and found nothing in the way. Returns undefined if
   * another process was faster.
   */
  const claimOne = (query: Query, toClaim: NewClaim, options: ClaimOptions) =>
    rowOf(query(insert("1 = 1"), paramsOf([toClaim], options)), (row) => ({
      id: integer(row, "id"),
      claimedAt: integer(row, "claimed_at")
    }))

  /** Locks the sends that a condition selects, so that a claim which comes later sees what follows. */
  const lockSends = (query: Query, condition: string, params: Params) =>
    forUpdate === ""
      ? Effect.void
      : query(
          `select id from ${send} as stored where ${condition} order by key, attempt ${forUpdate}`,
          params
        )

  /**
   * The first attempt of a key is looked up by the whole unique index: without statistics, PostgreSQL would
   * read the table for a key alone. Few keys have a second attempt: of a range, it expects as few.
   */
  const lookUp = `select ${columns("found")}
    from (select value from ${elements("$keys")}) as asked
    join ${send} as found on found.key = asked.value and found.attempt = 0
    union all
    select ${columns("found")}
    from (select value from ${elements("$keys")}) as asked
    join ${send} as found on found.key = asked.value
    where found.attempt > 0 and found.attempt <= ${maxAttempt}
    order by rank, attempt desc`

  /** The attempts of stored keys, for each key the one that speaks for it first. */
  const attempts = (query: Query, keys: ReadonlyArray<string>) =>
    rowsOf(query(lookUp, { keys: JSON.stringify(keys) }), (row): Attempt => ({
      key: text(row, "key"),
      send: sendOf(row),
      ticket: text(row, "ticket"),
      digest: text(row, "request"),
      isClaimed: text(row, "state") === "claimed",
      counts: integer(row, "counts") === 1
    }))

  /** How each key stands for its request, in the order of the keys; without a digest, for any. */
  const look = Effect.fnUntraced(function* (sends: ReadonlyArray<AskedKey>) {
    const keys = sends.map(({ key }) => key)
    const found = Map.groupBy(yield* attempts(read, keys), ({ key }) => key)
    return sends.map(({ digest, key }) => standingOf(found.get(key) ?? [], digest))
  })

  /** The sends that a condition on `stored` selects, which may end with their order. */
  const list = (condition: string, params?: Params) =>
    rowsOf(
      read(`select ${columns("stored")} from ${send} as stored where ${condition}`, params),
      sendOf
    )

  /** How many there are. */
  const count = (query: Query, condition: string, params?: Params) =>
    Effect.map(
      rowOf(
        query(
          `select cast(count(*) as ${int}) as total from ${send} as stored where ${condition}`,
          params
        ),
        (row) => integer(row, "total")
      ),
      (total = 0) => total
    )

  /** Settles one claim. The statement is that of every write, and its other parts find nothing to do. */
  const settleOne = (settlement: Settlement) =>
    write({ settle: [settlement], claim: [], ticket: settlement.claim.ticket, timeoutMillis: 0 })

  return {
    ...olderCopy,
    /** What comes before each claim, and before a campaign begins. */
    mayBegin: Effect.andThen(olderCopy.requireNewest, address.begun),
    address,
    attempts,
    claimOne,
    count,
    list,
    lockSends,
    look,
    repeated,
    settle: settleOne,
    /** Parts of statements. Each takes the name that the statement gives to the row of a send. */
    sql: { columns, isRecent, isSameText, isUnknown, rank, standing },
    write
  }
}

export type Rule = ReturnType<typeof makeRule>
