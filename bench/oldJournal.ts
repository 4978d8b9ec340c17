/**
 * A short list beside many rows of others: what their number costs, from the start of the command to its first SMS.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { create, type JournalLocation } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { temporaryFolder } from "../scripts/support.ts"
import { configOf } from "../test/harness/journal/JournalOf.ts"
import { noPostgres, startPostgres } from "../test/harness/journal/PostgresServer.ts"
import { startNode } from "../test/harness/Process.ts"
import { startServer } from "./child.ts"
import { alternate, compare, type Cost, costIn, median, shareOf } from "./measure.ts"
import { command } from "./million.ts"
import { atMost, figureRow, type Row, shown, type Table } from "./table.ts"

const otherRows = shareOf(1_000_000)
const rounds = 15
const rowCount = 10

/** A journal that others have used or not: the value of `--journal`, and the variables. */
interface Journal {
  readonly name: string
  readonly journal: string
  readonly env?: Readonly<Record<string, string>>
}

const columns =
  "key, attempt, owner, ticket, request, recipient, content, state, claimed_at, stale_at, settled_at"

/** Rows of twenty campaigns, sent just now. `digest` makes 22 characters that differ in each row. */
const fill = (table: string, digest: string, series: string) =>
  `insert into ${table} (${columns}) select 'other ' || (n % 20) || '/row ' || n, 0, 'campaign', ${digest},
    ${digest}, ${digest}, ${digest}, 'sent', ${Date.now()}, ${Date.now()}, ${Date.now()} from ${series}`

const made = (location: JournalLocation) => Effect.runPromise(create(location))

const inFile = async (name: string, rows: number): Promise<Journal> => {
  const journal = join(temporaryFolder(), "journal.sqlite")
  await made({ _tag: "Sqlite", file: journal })
  const database = new DatabaseSync(journal)
  const numbers = `(with recursive number(n) as (select 1 union all select n + 1 from number where n < ${rows})
    select n from number)`
  if (rows > 0) database.exec(fill("send", "substr(hex(randomblob(11)), 1, 22)", numbers))
  database.close()
  return { name, journal }
}

const executeIn = (port: number, database: string, ...statements: ReadonlyArray<string>) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement))
  ).pipe(
    Effect.provide(PgClient.layer({ ...configOf(port), database })),
    Effect.scoped,
    Effect.runPromise
  )

const table = "messaging_topup_journal.send"

/** A database of its own on the server, of which PostgreSQL knows nothing before `analyze`. */
const inDatabase = async (name: string, port: number, rows: number): Promise<Journal> => {
  const url = `postgres://journal@127.0.0.1:${port}/${name}`
  await executeIn(port, "postgres", `create database ${name}`)
  await made({ _tag: "Postgres", url: Redacted.make(url) })
  await executeIn(
    port,
    name,
    `alter table ${table} set (autovacuum_enabled = false)`,
    fill(table, "left(md5(random()::text), 22)", `generate_series(1, ${rows}) as series(n)`),
    // What it has to write later would hold up the first that commit.
    "checkpoint"
  )
  return { name, journal: "postgres", env: { MESSAGING_TOPUP_JOURNAL: url } }
}

let lists = 0

/** Sends a list of new numbers. The cost is the time until the service has the first of them, and no other. */
const sendList = async (folder: string, { env, journal }: Journal): Promise<Cost> => {
  const list = join(folder, `list ${++lists}.csv`)
  const numbers = Array.from(
    { length: rowCount },
    (_, index) => 1_000_000 + lists * rowCount + index
  )
  writeFileSync(list, `recipient,message\n${numbers.map((n) => `+1555${n},Hello ${n}\n`).join("")}`)
  const server = await startServer()
  const service = { MESSAGING_TOPUP_BASE_URL: server.url, MESSAGING_TOPUP_TOKEN: "token" }
  const begin = Date.now()
  await using running = startNode([command, "run", list, "--yes", "--journal", journal], {
    env: { ...service, ...env }
  })
  const { code, stderr } = await running.ended
  if (code !== 0) throw new Error(`The list ended with ${String(code)}: ${stderr}`)
  const wall = ((await server.firstAt()) - begin) * 1000
  await server.stop()
  return { wall, processor: 0 }
}

const rowOf = async (label: string, old: Journal, empty: Journal): Promise<Row> => {
  const folder = temporaryFolder()
  const contenders = [old, empty].map((each) => ({
    name: each.name,
    run: () => sendList(folder, each)
  }))
  const measured = await alternate(contenders, { rounds, warmUpRounds: 1 })
  const more = compare(measured, [old.name, empty.name], (one, other) => one.wall - other.wall)
  const all = median(measured.map((round) => costIn(round, empty.name).wall))
  return figureRow([label], [more / 1000], "ms", atMost(50), shown(Math.round(all / 1000), "ms"))
}

export const oldJournal = async (): Promise<Table> => {
  const rows = [await rowOf("SQLite", await inFile("old", otherRows), await inFile("empty", 0))]
  if (noPostgres === undefined) {
    const { port, stop } = await startPostgres()
    const empty = await inDatabase("empty", port, 0)
    const old = await inDatabase("old", port, otherRows)
    rows.push(await rowOf("PostgreSQL, without statistics", old, empty))
    for (const { name } of [old, empty]) await executeIn(port, name, `analyze ${table}`)
    rows.push(await rowOf("PostgreSQL", old, empty))
    await stop()
  }
  return {
    name: "campaign-beside",
    headings: [`a list of ${rowCount} rows beside ${otherRows.toLocaleString("en")} of others`],
    measured: ["more time to the first SMS", "to an empty journal"],
    rows
  }
}
