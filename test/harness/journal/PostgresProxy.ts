/**
 * A proxy before PostgreSQL that breaks connections where the test says: before a statement reaches the server, or
 * before its answer reaches the client.
 *
 * Source: https://www.postgresql.org/docs/15/protocol-message-formats.html
 */
import * as Effect from "effect/Effect"
import { connect, createServer, type Socket } from "node:net"
import { listening } from "../Listening.ts"

/** Where a connection breaks: the server does not get the statement, or the client does not get its answer. */
export type Cut = "before" | "after"

/** Says whether a connection breaks at a statement; `earlier` are those of the same transaction. */
export type CutAt = (statement: string, earlier: ReadonlyArray<string>) => Cut | undefined

/** Messages before the session have no type. The last one of them is the start, the others ask for encryption. */
const encryptionCodes: ReadonlySet<number> = new Set([80877103, 80877104])

/** The message that ends the answer to a statement, but for its last byte. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5])

const isAnswered = (bytes: Buffer): boolean =>
  bytes.length > readyForQuery.length && bytes.subarray(-6, -1).equals(readyForQuery)

/** The statement of a message; undefined if it has none. */
const statementOf = (type: string, content: string): string | undefined => {
  if (type === "Q") return content.split("\0")[0]
  return type === "P" ? content.split("\0")[1] : undefined
}

export const postgresProxy = Effect.fnUntraced(function* (port: number) {
  let cutAt: CutAt | undefined
  let isGone = false
  let isAway = false
  let cuts = 0

  const pass = (client: Socket) => {
    if (isAway) {
      client.destroy()
      return
    }
    const server = connect(port, "127.0.0.1")
    let read = Buffer.alloc(0)
    let hasStarted = false
    let isAnswerLost = false
    let transaction = new Array<string>()
    const end = () => {
      client.destroy()
      server.destroy()
    }
    const cut = () => {
      cuts += 1
      isAway = isGone
      if (isAway) for (const socket of sockets) socket.destroy()
      end()
    }

    /** The first message, if all of it was read. */
    const message = (): Buffer | undefined => {
      const at = hasStarted ? 1 : 0
      if (read.length < at + 4) return undefined
      const length = at + read.readUInt32BE(at)
      return read.length < length ? undefined : read.subarray(0, length)
    }

    const onStatement = (statement: string): Cut | undefined => {
      if (/^begin/i.test(statement)) transaction = []
      const found = cutAt?.(statement, transaction)
      transaction.push(statement)
      return found
    }

    client.on("data", (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      for (let next = message(); next !== undefined; next = message()) {
        read = read.subarray(next.length)
        if (hasStarted) {
          const statement = statementOf(next.toString("latin1", 0, 1), next.toString("utf8", 5))
          const found = statement === undefined ? undefined : onStatement(statement)
          if (found === "before") return cut()
          isAnswerLost ||= found === "after"
        } else hasStarted = !encryptionCodes.has(next.readUInt32BE(4))
        server.write(next)
      }
    })
    server.on("data", (bytes: Buffer) => {
      if (!isAnswerLost) client.write(bytes)
      else if (isAnswered(bytes)) cut()
    })
    for (const socket of [client, server]) socket.on("error", end).on("close", end)
  }

  const { port: own, sockets } = yield* listening(createServer(pass))
  return {
    port: own,
    /** Breaks connections so, until the next call. `isGone`: then it is away. */
    cut: (next: CutAt | undefined, gone = false) => {
      cutAt = next
      isGone = gone
    },
    /** How many connections it broke. */
    cuts: () => cuts,
    /** Accepts connections again. */
    comeBack: () => {
      isAway = false
    }
  }
})

export type PostgresProxy = Effect.Success<ReturnType<typeof postgresProxy>>

/** Breaks the first connection on which a transaction commits that has such a statement. */
export const atCommitOf = (part: string, where: Cut): CutAt => {
  let isCut = false
  return (statement, earlier) => {
    if (isCut || !/^commit/i.test(statement)) return undefined
    if (!earlier.some((each) => each.includes(part))) return undefined
    isCut = true
    return where
  }
}
