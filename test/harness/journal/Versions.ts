/**
 * A journal of this version, as a file of statements: what is stored, and what its digests are made of. `makeVersion.ts`
 * writes it, and a test compares it with what is stored now.
 */
import { keyOf } from "@messaging-topup/mcp-server/src/send/Plan.ts"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"
import { command, makeJournal } from "../Command.ts"
import { tryToClaim } from "./conformance/ServerTests.ts"

export const versionsFolder = join(import.meta.dirname, "../../journal/versions")

/** The files of versions: one until the first release. */
export const versions = globSync("*.sql", { cwd: versionsFolder })

const using = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

export const versionOf = (file: string): string =>
  using(file, (database) =>
    String(database.prepare("select value from setting where name = 'version'").get()?.["value"])
  )

/** The sends of each owner, by the state in which they end. Each has a number of its own, by which the sandbox ends it. */
const recipients = {
  sent: "+12015550107",
  unknown: "+15550010900",
  closed: "+15550020900",
  freed: "+15550030900",
  rejected: "+15550000400"
} as const

export type End = keyof typeof recipients

const ends = Object.keys(recipients) as ReadonlyArray<End>

const decisions: Partial<Record<End, "not-sent" | "resend">> = {
  closed: "not-sent",
  freed: "resend"
}

/** As a program has it, and not as a spreadsheet saves it. */
const oddText = "\r\n  e\u0301"

/** The SMS of an owner that ends so. */
export const smsOf = (owner: "program" | "campaign" | "server", end: End) => ({
  recipient: recipients[end],
  message: `${owner}: ${end}${owner === "program" ? oddText : ""}`,
  sender_id: "Shop",
  scheduled_time: "20:00",
  webhook_url: "https://a.example/"
})

/** A key that could be a number, which is stored as a digest. */
const numberKey = "0155 500 0100"

const programKeyOf = (end: End): string => (end === "sent" ? numberKey : end)

export const programSends = ends.map((end) => ({
  end,
  key: programKeyOf(end),
  request: smsOf("program", end)
}))

const campaign = "may"

/** The list without keys, whose keys are of the numbers as they go out, has a campaign of its own: it gives --country. */
const nationalOf = (name: string): string => `${name} national`

/** The number that is sent, as that list has it. */
const national = "201 555 0107"

/** A list, with a column of keys or without. */
const listOf = (rows: ReadonlyArray<End>, hasKeys: boolean): string =>
  [
    `${hasKeys ? "key," : ""}${Object.keys(smsOf("campaign", "sent")).join(",")}`,
    ...rows.map((end) =>
      Object.values({
        ...(hasKeys ? { key: end } : {}),
        ...smsOf("campaign", end),
        ...(hasKeys ? {} : { recipient: national })
      }).join(",")
    )
  ]
    .map((line) => `${line}\n`)
    .join("")

interface Run {
  readonly campaign?: string
  readonly rows?: ReadonlyArray<End>
  readonly options?: ReadonlyArray<string>
}

/** Runs all rows, or some, as a program that a pipe feeds: first the row that is sent, which has no key of its own. */
export const runList = (
  file: string,
  { campaign: name = campaign, options = [], rows = ends }: Run = {}
) => {
  const keyless = rows.filter((end) => end === "sent")
  const keyed = rows.filter((end) => end !== "sent")
  const lists = [
    { list: keyless, named: [nationalOf(name), "--country", "US"], hasKeys: false },
    { list: keyed, named: [name], hasKeys: true }
  ].filter(({ list }) => list.length > 0)
  return Effect.forEach(lists, ({ hasKeys, list, named }) =>
    command(["run", "-", "--yes", "--journal", file, ...options, "--campaign", ...named], {
      stdin: [listOf(list, hasKeys)]
    })
  )
}

/** The sends of a server, which is not started: its keys are those that it would make. */
export const serverSends = Effect.map(SendJournal, ({ digest }) => {
  return ends.map((end) => {
    const request = smsOf("server", end)
    return {
      end,
      request,
      send: { key: keyOf(digest, false, "local", request), digest: "r" }
    }
  })
})

export const approval = { nonce: "n", validFor: Duration.hours(1) }

const sentByProgram = Effect.gen(function* () {
  const { resolve, sendOnce } = yield* SendJournal
  for (const { end, key, request } of programSends) {
    yield* Effect.ignore(sendOnce(key, request))
    const decision = decisions[end]
    if (decision !== undefined) yield* resolve({ key }, decision)
  }
})

const decidedRows = Effect.gen(function* () {
  const { campaigns, prune, resolve } = yield* SendJournal
  yield* resolve({ campaign, keys: ["closed"] }, "not-sent")
  yield* resolve({ campaign, keys: ["freed"] }, "resend")
  for (const pruned of ["pruned", nationalOf("pruned")]) {
    yield* campaigns.begin(pruned)
    yield* prune({ campaign: pruned })
  }
})

const sentByServer = Effect.gen(function* () {
  const { resolve, settle } = yield* SendJournal
  for (const { end, request, send } of yield* serverSends) {
    const more = end === "sent" ? { approval, batch: "b" } : {}
    const claimed = yield* tryToClaim(send.key, { ...more, request, caller: "local" })
    if (claimed._tag !== "Claimed") return yield* Effect.die(new Error(claimed._tag))
    const { claim } = claimed
    if (end === "sent") {
      yield* settle(claim, { state: "sent", messages: [{ message_id: "m", status: "any" }] })
    } else if (end === "rejected") {
      yield* settle(claim, { state: "rejected", reason: "InvalidRequest 400" })
    } else yield* settle(claim, { state: "unknown", reason: "ConnectionLost" })
    const decision = decisions[end]
    if (decision !== undefined) yield* resolve({ ids: [claim.id] }, decision)
  }
})

/** Makes a journal in which each owner has a send of each end. Its digests have always the same key. */
export const makeVersion = Effect.fnUntraced(function* (file: string) {
  const inFile = <A, E, R>(use: Effect.Effect<A, E, R>) =>
    Effect.provide(use, Layer.fresh(Sqlite.layer(file)))
  yield* makeJournal(file)
  using(file, (database) =>
    database.exec("update setting set value = 'the key of the digests' where name = 'digest'")
  )
  yield* inFile(sentByProgram)
  yield* runList(file)
  yield* inFile(Effect.andThen(decidedRows, sentByServer))
})

/** A sandbox on a socket, for the command, too. */
export const upstream = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) =>
    Layer.provide(MessagingTopup.layer({ baseUrl, token }), NodeTransport.layer)
  )
).pipe(Layer.provideMerge(Sandbox.layer()))

/** When all of it happened, and what differs in each journal otherwise. */
const made = 1_000_000

const masks: ReadonlyMap<string, string> = new Map([
  // The database gives it anew.
  ["id", "null"],
  ["ticket", "'ticket'"],
  ["stale_uptime", "1"],
  ...["claimed_at", "stale_at", "settled_at", "decided_at", "pruned_at", "expires_at"].map(
    (column) => [column, String(made)] as const
  )
])

/** The message ids of the sandbox are random. */
const maskedMessages = `update send set messages = (
  select json_group_array(json_set(value, '$.message_id', 'm')) from json_each(messages)
) where messages is not null`

const quoted = (value: SQLOutputValue): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value)

/** The statements that insert the rows of a table. What happens at once has no order. */
const rowsOf = (table: string, rows: ReadonlyArray<Record<string, SQLOutputValue>>) =>
  rows
    .map((row) =>
      Object.entries(row).map(([column, value]) =>
        value === null ? "null" : (masks.get(column) ?? quoted(value))
      )
    )
    .map((values) => `insert into ${table} values (${values.join(", ")})`)
    .toSorted()

/** The statements that make a journal: the same of each journal in which the same happened. */
export const dumpOf = (file: string): string =>
  using(file, (database) => {
    const all = (sql: string) => database.prepare(sql).all()
    database.exec(maskedMessages)
    // The ticket of the call that redeemed an approval, beside the approval's own.
    database.exec("update approval set nonce = 'ticket' where length(nonce) = 36")
    const objects = all(
      "select name, type, sql from sqlite_master where sql is not null and name <> 'sqlite_sequence' order by rowid"
    )
    const rows = objects.flatMap(({ name, type }) =>
      type === "table" ? rowsOf(String(name), all(`select * from ${String(name)}`)) : []
    )
    const [{ application_id: id } = {}] = all("pragma application_id")
    const statements = objects.map(({ sql }) => String(sql))
    return [`pragma application_id = ${String(id)}`, ...statements, ...rows, ""].join(";\n")
  })

/** The statements of the stored journal of a version. */
export const storedAs = (version: string): string =>
  readFileSync(join(versionsFolder, `${version}.sql`), "utf8")

/** Makes the stored journal of a version in a file, as if all of it had just happened. */
export const makeStored = (file: string, version = basename(versions[0] ?? "", ".sql")): void =>
  using(file, (database) => {
    database.exec(storedAs(version))
    const later = Date.now() - made
    for (const column of ["claimed_at", "stale_at", "settled_at", "decided_at"]) {
      database.exec(`update send set ${column} = ${column} + ${later}`)
    }
    database.exec(`update approval set expires_at = expires_at + ${later + 3_600_000}`)
  })
