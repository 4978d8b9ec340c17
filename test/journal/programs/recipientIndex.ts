/**
 * What the index on recipients costs: loads a million rows of random recipients without it and with it,
 * then compares a new campaign of the same recipients: `recipientIndex.ts [rows]`.
 */
import { CampaignJournal, type NewRow, SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"

const count = Number(process.argv[2] ?? "1000000")
const batch = Number(process.argv[3] ?? "5000")
const folder = mkdtempSync(join(tmpdir(), "index-"))

/** A permutation of the numbers, so that the index is not filled in its own order. */
const recipientOf = (index: number) =>
  `+1555${String((index * 7_368_787) % 10_000_019).padStart(8, "0")}`

/** As random as the keys that the command makes. */
const keyOf = (campaign: string, index: number) =>
  createHash("sha256").update(`${campaign} ${index}`).digest("base64url").slice(0, 22)

const rowsOf = (campaign: string, start: number): ReadonlyArray<NewRow> =>
  Array.from({ length: Math.min(batch, count - start) }, (_, offset) => ({
    key: keyOf(campaign, start + offset),
    line: start + offset + 2,
    request: { recipient: recipientOf(start + offset), message: `Hello ${start + offset}` }
  }))

const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch)

const seconds = (started: number) => Math.round((performance.now() - started) / 100) / 10
const mebibytes = (file: string) => Math.round(statSync(file).size / 2 ** 20)

const withJournal = <A, E>(
  file: string,
  effect: Effect.Effect<A, E, CampaignJournal | SendJournal>
) => Effect.runPromise(Effect.scoped(Effect.provide(effect, Sqlite.layer(file))))

const load = Effect.gen(function* () {
  const journal = yield* SendJournal
  for (const start of starts) yield* journal.append("first", rowsOf("first", start))
})

const measure = async (hasIndex: boolean) => {
  const file = join(folder, `${hasIndex}.db`)
  await withJournal(file, Effect.void)
  if (!hasIndex) new DatabaseSync(file).exec("drop index send_recipient")
  const started = performance.now()
  await withJournal(file, load)
  const result = { index: hasIndex, loadSeconds: seconds(started), fileMiB: mebibytes(file) }
  if (!hasIndex) return result
  new DatabaseSync(file).exec("update send set state = 'sent'")
  const compared = performance.now()
  const found = await withJournal(
    file,
    Effect.gen(function* () {
      const campaigns = yield* CampaignJournal
      let elsewhere = 0
      for (const start of starts) {
        elsewhere += (yield* campaigns.compare("second", rowsOf("second", start))).earlier.elsewhere
      }
      return elsewhere
    })
  )
  return { ...result, compareSeconds: seconds(compared), found }
}

for (const hasIndex of [false, true])
  console.log(JSON.stringify({ rows: count, ...(await measure(hasIndex)) }))
rmSync(folder, { recursive: true })
