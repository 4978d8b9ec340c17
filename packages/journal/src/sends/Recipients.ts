/**
 * Which rows of a campaign would be a second SMS to somebody.
 *
 * The rows are read once, and then from the last id on. What is remembered is a suspicion: it has the rows in
 * whatever state, so that it can be too high and never too low. Those that it finds are read as they stand now.
 */
import * as Effect from "effect/Effect"
import type { Dialect, Query } from "../database/Database.ts"
import { integer, rowsOf, text } from "../database/Rows.ts"
import { prefixOf } from "../model/Names.ts"
import type { NewClaim } from "../Rule.ts"

type Row = Pick<NewClaim, "key" | "recipient">

const rowsPerPage = 10_000

/** The first bits of a recipient's digest. */
const hashOf = (recipient: string): number => Buffer.from(recipient, "base64url").readUInt32LE()

/**
 * The ids of rows by the hashes of their recipients, in 24 to 48 bytes for each. Two recipients can have the
 * same hash, so who finds an id reads its row.
 */
const makeIds = () => {
  let capacity = 1024
  let used = 0
  let hashes = new Uint32Array(capacity)
  let ids = new Float64Array(capacity)

  const put = (hash: number, id: number): void => {
    let slot = hash & (capacity - 1)
    while (ids[slot] !== 0) slot = (slot + 1) & (capacity - 1)
    hashes[slot] = hash
    ids[slot] = id
  }

  const grow = (): void => {
    const before = { hashes, ids }
    capacity *= 2
    hashes = new Uint32Array(capacity)
    ids = new Float64Array(capacity)
    for (const [slot, id] of before.ids.entries()) {
      if (id !== 0) put(before.hashes[slot] ?? 0, id)
    }
  }

  return {
    add: (hash: number, id: number): void => {
      if (++used * 2 > capacity) grow()
      put(hash, id)
    },
    find: (hash: number): ReadonlyArray<number> => {
      const found = new Array<number>()
      let slot = hash & (capacity - 1)
      while (ids[slot] !== 0) {
        if (hashes[slot] === hash) found.push(ids[slot] ?? 0)
        slot = (slot + 1) & (capacity - 1)
      }
      return found
    }
  }
}

export const makeRecipients = ({ elements, integer: int, table }: Dialect) => {
  const send = table("send")
  const known = new Map<string, { readonly ids: ReturnType<typeof makeIds>; lastId: number }>()

  /** By id alone: the rows after the last one are few. */
  const page = (query: Query, campaign: string, after: number) =>
    rowsOf(
      query(
        `select id, recipient from ${send}
        where id > cast($1 as ${int}) and substr(key, 1, length(cast($2 as text))) = cast($2 as text)
        order by id limit ${rowsPerPage}`,
        after,
        prefixOf(campaign)
      ),
      (row) => ({ id: integer(row, "id"), recipient: text(row, "recipient") })
    )

  /** Those of the rows that were sent or may have been. */
  const live = (query: Query, ids: ReadonlyArray<number>) =>
    rowsOf(
      query(
        `select key, recipient from ${send}
        where id in (select cast(value as ${int}) from ${elements("$1")} as given)
          and state in ('claimed', 'sent', 'unknown')`,
        JSON.stringify(ids)
      ),
      (row): Row => ({ key: text(row, "key"), recipient: text(row, "recipient") })
    )

  /**
   * Returns the rows whose recipient another row of the campaign has: one in the journal or, with `inList`, one
   * before it in the list. In a transaction, call `committed` once it is committed: if it is rolled back, other
   * rows can get its ids.
   */
  return Effect.fnUntraced(function* <R extends Row>(
    query: Query,
    campaign: string,
    rows: ReadonlyArray<R>,
    inList: boolean
  ) {
    const memory = known.get(campaign) ?? { ids: makeIds(), lastId: 0 }
    known.set(campaign, memory)
    let lastId = memory.lastId
    while (true) {
      const found = yield* page(query, campaign, lastId)
      for (const { id, recipient } of found) memory.ids.add(hashOf(recipient), id)
      lastId = found.at(-1)?.id ?? lastId
      if (found.length < rowsPerPage) break
    }
    const suspected = rows.flatMap(({ recipient }) => memory.ids.find(hashOf(recipient)))
    const written = suspected.length === 0 ? [] : yield* live(query, [...new Set(suspected)])
    const keysOf = new Map<string, Set<string>>()
    const remember = ({ key, recipient }: Row): void => {
      const keys = keysOf.get(recipient) ?? new Set()
      keysOf.set(recipient, keys.add(key))
    }
    for (const row of written) remember(row)
    const isRepeated = (row: R): boolean => {
      const keys = keysOf.get(row.recipient)
      const isSecond = keys !== undefined && (keys.size > 1 || !keys.has(row.key))
      if (inList && !isSecond) remember(row)
      return isSecond
    }
    return {
      rows: new Set(rows.filter(isRepeated)),
      committed: () => {
        memory.lastId = Math.max(memory.lastId, lastId)
      }
    }
  })
}
