/**
 * Which session is closed when there are too many: clients of the legacy era often leave without
 * closing theirs.
 */

/** A connection of `node:http`, compared by identity. */
export interface Connection {
  readonly destroyed: boolean
}

export interface Held {
  readonly principal: string
  readonly isAuthenticated: boolean
  /** Those that carried a request of it, but for some that are closed. */
  readonly connections: Set<Connection>
  /** Calls whose response is not complete. */
  inFlight: number
  lastHeardMillis: number
}

export const connect = ({ connections }: Held, connection: Connection): void => {
  for (const each of connections) if (each.destroyed) connections.delete(each)
  connections.add(connection)
}

/** A call in flight keeps a session; an open stream on which nothing is said does not. */
export const isIdle = ({ inFlight }: Held): boolean => inFlight === 0

/** Holds the sessions of clients without authentication that are not connected now. */
const nobody = Symbol("nobody")

/**
 * Who a session counts for: its principal, and without authentication a connection.
 *
 * Such a server listens on loopback, where all clients have one address and each can take a new port
 * for every request. What a client cannot have is the connection of another one. So a session counts
 * for an open connection that it was used on, such as that of its stream, and once it has none, for
 * nobody. A client that opens many on one connection competes with itself, and one that leaves and
 * comes back competes with those that left.
 */
const holderOf = ({ connections, isAuthenticated, principal }: Held) =>
  isAuthenticated ? principal : ([...connections].find(({ destroyed }) => !destroyed) ?? nobody)

const longestIdle = <S extends Held>(sessions: ReadonlyArray<S> = []): S | undefined => {
  const [first, ...rest] = sessions.filter(isIdle)
  return first === undefined
    ? undefined
    : rest.reduce(
        (one, other) => (other.lastHeardMillis < one.lastHeardMillis ? other : one),
        first
      )
}

/**
 * The longest idle session of whoever holds the most, if that is more than the newcomer will hold;
 * else of the newcomer itself. A principal without any is refused where all others have one each.
 * Without authentication it is not, because many connections can be one client: then a session of
 * nobody goes, and at last the longest idle one.
 */
export const toClose = <S extends Held>(sessions: ReadonlyArray<S>, newcomer: S): S | undefined => {
  const held = Map.groupBy(sessions, holderOf)
  const own = held.get(holderOf(newcomer)) ?? []
  const [most] = [...held.values()]
    .filter((each) => each.length > own.length + 1 && each.some(isIdle))
    .toSorted((one, other) => other.length - one.length)
  const fair = longestIdle(most ?? own)
  if (fair !== undefined || newcomer.isAuthenticated) return fair
  return longestIdle(held.get(nobody)) ?? longestIdle(sessions)
}
