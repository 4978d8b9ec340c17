/**
 * Chooses the session to close when there are too many. Legacy clients often leave without closing
 * theirs.
 */

/** A connection of `node:http`, compared by identity. */
export interface Connection {
  readonly destroyed: boolean
}

export interface CountedSession {
  readonly principal: string
  readonly isAuthenticated: boolean
  /** The connections that carried a request of the session. Closed ones are removed at the next request. */
  readonly connections: Set<Connection>
  /** How many calls have no complete response yet. */
  inFlight: number
  lastHeardMillis: number
}

export const connect = ({ connections }: CountedSession, connection: Connection): void => {
  for (const each of connections) if (each.destroyed) connections.delete(each)
  connections.add(connection)
}

/** A session with a call in flight is not idle. One that has only an open stream is. */
export const isIdle = ({ inFlight }: CountedSession): boolean => inFlight === 0

/** The owner of all unauthenticated sessions without an open connection. */
const disconnected = Symbol("disconnected")

/**
 * Returns the owner that a session counts for: its principal or, without authentication, a connection.
 *
 * A server without authentication listens on loopback. There, all clients have one address, and a
 * client can use a new port for every request. But no client can use the connection of another. So a
 * session counts for one of its open connections, such as that of its stream. Without an open
 * connection, it counts for `disconnected`. A client that opens many sessions on one connection then
 * competes with itself, and one that reconnects for each competes with other disconnected clients.
 */
const ownerOf = ({ connections, isAuthenticated, principal }: CountedSession) =>
  isAuthenticated
    ? principal
    : ([...connections].find(({ destroyed }) => !destroyed) ?? disconnected)

const longestIdle = <S extends CountedSession>(sessions: ReadonlyArray<S> = []): S | undefined => {
  const [first, ...rest] = sessions.filter(isIdle)
  return first === undefined
    ? undefined
    : rest.reduce(
        (one, other) => (other.lastHeardMillis < one.lastHeardMillis ? other : one),
        first
      )
}

/**
 * Returns the session to close so that the newcomer can open, or `undefined` to refuse the newcomer.
 *
 * It is the session that has been idle longest, of the owner with the most sessions, if that owner has
 * more than the newcomer's owner will have. Otherwise it is one of the newcomer's owner. So a principal
 * without a session is refused while all others have one each. Without authentication no client is
 * refused, because one client can have many connections. Then a disconnected session is closed or, if
 * there is none, the one that has been idle longest.
 */
export const toClose = <S extends CountedSession>(
  sessions: ReadonlyArray<S>,
  newcomer: S
): S | undefined => {
  const byOwner = Map.groupBy(sessions, ownerOf)
  const own = byOwner.get(ownerOf(newcomer)) ?? []
  const [most] = [...byOwner.values()]
    .filter((each) => each.length > own.length + 1 && each.some(isIdle))
    .toSorted((one, other) => other.length - one.length)
  const fair = longestIdle(most ?? own)
  if (fair !== undefined || newcomer.isAuthenticated) return fair
  return longestIdle(byOwner.get(disconnected)) ?? longestIdle(sessions)
}
