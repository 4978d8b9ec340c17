/**
 * Why the journal has no index on recipients: loads rows of random recipients without it and with it, then
 * asks the question of `run` for another file to the same recipients: `recipientIndex.ts [rows]`.
 */
import { type NewRow, SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { run } from "@messaging-topup/campaign/src/cli/Command.ts"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough, Readable } from "node:stream"

const count = Number(process.argv[2] ?? "1000000")
const batch = 5_000
const folder = mkdtempSync(join(tmpdir(), "index-"))

/** A permutation of the numbers, so that an index is not filled in its own order. */
const recipientOf = (index: number) =>
  `+234${String((index * 7_368_787) % 10_000_019).padStart(8, "0")}`

/** As random as the keys that the command makes. */
const keyOf = (index: number) => createHash("sha256").update(`${index}`).digest("base64url")

const rowsFrom = (start: number): ReadonlyArray<NewRow> =>
  Array.from({ length: Math.min(batch, count - start) }, (_, offset) => ({
    key: keyOf(start + offset).slice(0, 22),
    line: start + offset + 2,
    request: { recipient: recipientOf(start + offset), message: `Hello ${start + offset}` }
  }))

const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch)

const load = Effect.gen(function* () {
  const journal = yield* SendJournal
  for (const start of starts) yield* journal.append("first", rowsFrom(start))
})

/** Time of the processor, which other work on the machine hardly changes, and elapsed time. */
const seconds = async (work: () => Promise<unknown>) => {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await work()
  const { system, user } = process.cpuUsage(cpu)
  return {
    cpu: Math.round((system + user) / 1e6),
    elapsed: Math.round((performance.now() - started) / 1000)
  }
}

const inDatabase = (file: string, statement: string) => {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

const onJournal = <A, E>(file: string, effect: Effect.Effect<A, E, SendJournal>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(effect, Sqlite.layer(file))))

/** Asks as a terminal does, and answers no. Returns the tables. */
const ask = async (journal: string, rows: string) => {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const [stdout, stderr] = [terminal(), terminal()]
  let shown = ""
  stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
  stderr.setEncoding("utf8").on("data", (text: string) => (shown += text))
  await Effect.runPromise(
    run({
      args: ["run", rows, "--journal", `sqlite:${journal}`],
      environment: { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "t" },
      stdin: Object.assign(Readable.from(["n\n"], { objectMode: false }), { isTTY: true }),
      stdout,
      stderr,
      stop: Effect.never
    })
  )
  return shown
}

for (const hasIndex of [true, false]) {
  const file = join(folder, `${hasIndex}.db`)
  await onJournal(file, Effect.void)
  if (hasIndex) inDatabase(file, "create index send_recipient on send (recipient)")
  const loading = await seconds(() => onJournal(file, load))
  console.log(
    JSON.stringify({
      rows: count,
      hasIndex,
      loading,
      MiB: Math.round(statSync(file).size / 2 ** 20)
    })
  )
}

const journal = join(folder, "false.db")
inDatabase(journal, "update send set state = 'sent'")
for (const rows of [count, 100]) {
  const file = join(folder, "second.csv")
  const lines = Array.from({ length: rows }, (_, index) => `${recipientOf(index)},Bye ${index}\n`)
  writeFileSync(file, `recipient,message\n${lines.join("")}`)
  let shown = ""
  const asking = await seconds(async () => {
    shown = await ask(journal, file)
  })
  const [found = shown.slice(-500)] = /[^\n]*other campaigns[^\n]*/.exec(shown) ?? []
  console.log(JSON.stringify({ rowsOfFile: rows, asking, found }))
}
rmSync(folder, { recursive: true })
