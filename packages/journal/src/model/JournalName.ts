/** What a journal is called where people read of it: the path of its file, its server and database, or `memory`. */
import { shellWord } from "./ShellWord.ts"

const inPostgres = "PostgreSQL"
export const inMemory = "memory"

/** What the driver takes of a database. */
interface PostgresPlace {
  readonly url?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly database?: string | undefined
}

/** A journal in PostgreSQL, by its server and database as the driver reads them: never by its user and password. */
export const nameInPostgres = ({ url: text, host, port, database }: PostgresPlace): string => {
  // A program's own client also takes what is no URL, such as the path of a socket.
  const url = text === undefined ? undefined : URL.parse(text)
  const param = (name: string) => url?.searchParams.getAll(name).at(-1)
  const where = host ?? param("host") ?? (url?.hostname || "localhost")
  const given = port ?? param("port") ?? url?.port
  const name = database ?? param("dbname") ?? url?.pathname.slice(1)
  return `${inPostgres} ${where}${given ? `:${given}` : ""}${name ? `/${name}` : ""}`
}

/** What took the place of a journal, a file or a database. */
export const olderCopy =
  "an older copy took its place (an older file, a restored dump, or a server that took over)"

/** First of all, where a journal lacks sends: what goes on meanwhile sends them again. */
export const stopAll = "stop everything (also cron)"

/** A path, `memory`, or a database URL; with `_FILE`, the file that has it. */
export const journalVariable = "MESSAGING_TOPUP_JOURNAL"

/** A send of a program, as its errors name it. */
export interface NamedSend {
  readonly id: number
  /** The journal: the path of its file, `PostgreSQL` with its server and database, or `memory`. */
  readonly journal: string
  /** The key of a plain send: of one that could be a phone number, its digest, which finds it, too. */
  readonly key?: string | undefined
}

// A terminal would not show these as they are, and the first one would be read as an option.
const unnamed = /^-|[\p{C}\p{Zl}\p{Zp}]/u

/** With what a person decides about it, in this journal and no other: an id is another send in each, a key is none. */
export const wayToResolve = (
  { id, journal, key }: NamedSend,
  ...options: Array<string>
): string => {
  if (journal === inMemory) return "resolve in this program, whose journal is in memory"
  const isInPostgres = journal.startsWith(inPostgres)
  const send = key === undefined || unnamed.test(key) ? ["--id", String(id)] : ["--key", key]
  const words = ["--journal", isInPostgres ? "postgres" : journal, ...send, ...options]
  const line = `npx messaging-topup resolve ${words.map(shellWord).join(" ")}`
  return isInPostgres ? `${line}, with the URL of ${journal} in ${journalVariable}` : line
}
