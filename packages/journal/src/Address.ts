/** The address to which the sends of a journal go: at another one, the same SMS is another SMS, which was not sent. */
import { MessagingTopup, type MessagingTopupService } from "@messaging-topup/core"
import { inProcessHost, isLoopbackHost } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Database } from "./database/Database.ts"
import { rowOf, text } from "./database/StoredRows.ts"
import { type JournalError, JournalUnavailable } from "./model/Errors.ts"

/** A sandbox may have another port at each start, or none. */
const isThisMachine = (name: string): boolean => isLoopbackHost(name) || name === inProcessHost

/**
 * The address without its port, which is the same for all names of this machine. Undefined if it is not known: a service
 * of the program may leave it out, and a mock has something else in its place.
 */
const nameOf = ({ address }: MessagingTopupService): string | undefined => {
  const name = Predicate.isString(address) ? URL.parse(`http://${address}`)?.hostname : undefined
  return name !== undefined && isThisMachine(name) ? "localhost" : name
}

export const makeAddress = ({ dialect, read, transaction }: Database) => {
  const setting = dialect.table("setting")
  /** It is looked up once: no send needs a statement more. */
  let known: string | undefined

  /** Returns the stored one, whose setting is named `host`; undefined before the first claim. */
  const find = rowOf(read(`select value from ${setting} where name = 'host'`), (row) =>
    text(row, "value")
  )

  /** Returns the stored one: another process may have been faster. */
  const store = (address: string) =>
    rowOf(
      transaction((query) =>
        query(
          `insert into ${setting} as known (name, value) values ('host', $address)
          on conflict (name) do update set value = known.value returning value`,
          { address }
        )
      ),
      (row) => text(row, "value")
    )

  /** Fails if the client that sends here has another address than the journal. `isBegun`: a journal without one gets it. */
  const requireAddress = (isBegun: boolean): Effect.Effect<void, JournalError, MessagingTopup> =>
    Effect.flatMap(
      MessagingTopup,
      Effect.fnUntraced(function* (service) {
        const address = nameOf(service)
        if (address === undefined || address === known) return
        const found = (yield* find) ?? (isBegun ? yield* store(address) : undefined)
        if (found !== undefined && found !== address) {
          const code = `address ${found}`
          return yield* Effect.fail(new JournalUnavailable({ problem: "other-address", code }))
        }
        known = found
      })
    )

  return {
    find,
    /** A person says that the service moved: the next claim stores its address. */
    forget: Effect.asVoid(
      transaction((query) => query(`delete from ${setting} where name = 'host'`))
    ),
    /** Stores nothing. */
    required: requireAddress(false),
    begun: requireAddress(true)
  }
}
