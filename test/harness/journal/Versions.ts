/** Journals of earlier versions, as they were left: each a file of statements, which `makeVersion.ts` writes. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"

export const versionsFolder = join(import.meta.dirname, "../../journal/versions")

/** From version 2 on. */
export const versions = readdirSync(versionsFolder)

const using = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** Makes a journal in a file as that version left it. */
export const makeOld = (file: string, version: string): void =>
  using(file, (database) => database.exec(readFileSync(join(versionsFolder, version), "utf8")))

const rehearsed = ["sandbox:c", "sandbox:", "trial:c"]
const kept = ["sandbox", "sandboxes", "sandbox c", "trial", "trials", "c"]

/** What only a version 2 has: rehearsals, each with a row, and names that look like one. */
export const onlyOf2 = (table: (name: string) => string): ReadonlyArray<string> => [
  ...[...rehearsed, ...kept].flatMap((name) => [
    `insert into ${table("campaign")} (name) values ('${name}') on conflict do nothing`,
    ...[`${name}/k`, `/${name}`].map(
      (key) => `insert into ${table("send")}
        (key, attempt, owner, token, request, recipient, content, state, claimed_at, stale_at, counts_for)
        values ('${key}', 0, 'campaign', 't', 'r', 'n', 'x', 'sent', 0, 0, 1)`
    )
  ]),
  `insert into ${table("rate")} values ('bench', 1)`
]

/** Makes a version 2 with all that only it has. */
export const makeVersion2 = (file: string): void => {
  makeOld(file, "2.sql")
  using(file, (database) => {
    for (const statement of onlyOf2((name) => name)) database.exec(statement)
  })
}

const isRehearsal = (value: unknown): boolean =>
  rehearsed.some((name) => value === name || value === `${name}/k`)

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The rows of a version 2 that the next one has: all but rehearsals, with one column for another. */
export const keptOf2 = (rows: Rows): Rows =>
  rows
    .filter(({ key, name }) => !isRehearsal(key) && !isRehearsal(name))
    .map(({ counts_for: _, ...row }) => ("key" in row ? { ...row, stale_uptime: null } : row))

/** What the file of a journal has: its tables and indexes, and the rows of some tables. */
export const contentsOf = (file: string) =>
  using(file, (database) => {
    const all = (sql: string) => database.prepare(sql).all()
    const names = all("select name from sqlite_master order by name").map(({ name }) =>
      String(name)
    )
    return {
      names,
      columns: all("select name from pragma_table_info('send')").map(({ name }) => name),
      version: all("select value from setting where name = 'version'")[0]?.["value"],
      sends: all("select * from send order by id"),
      campaigns: all("select * from campaign order by name"),
      digest: all("select value from setting where name = 'digest'")
    }
  })

const quoted = (value: SQLOutputValue): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)

/** The statements that make a database. */
export const dumpOf = (file: string): string =>
  using(file, (database) => {
    const objects = database
      .prepare("select name, type, sql from sqlite_master where sql is not null order by rowid")
      .all()
    const names = objects.flatMap(({ name, type }) => (type === "table" ? [String(name)] : []))
    const made = objects.flatMap(({ name, sql }) => (name === "sqlite_sequence" ? [] : [sql]))
    const rows = names.flatMap((name) => [
      // The database writes it itself, while the rows of others are inserted.
      ...(name === "sqlite_sequence" ? [`delete from ${name}`] : []),
      ...database
        .prepare(`select * from ${name}`)
        .all()
        .map((row) => `insert into ${name} values (${Object.values(row).map(quoted).join(", ")})`)
    ])
    const [{ application_id: id } = {}] = database.prepare("pragma application_id").all()
    return [`pragma application_id = ${String(id)}`, ...made, ...rows, ""].join(";\n")
  })
