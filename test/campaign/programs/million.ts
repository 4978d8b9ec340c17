/**
 * Loads and sends a campaign, and prints its maximum memory and its time: `million.ts [rows]`.
 *
 *     node test/campaign/programs/million.ts 10000
 *     node test/campaign/programs/million.ts 1000000
 */
import { Campaign } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { withServer } from "../../../bench/child.ts"

const count = Number(process.argv[2] ?? "1000000")
const folder = mkdtempSync(join(tmpdir(), "campaign-"))

const rows = Stream.map(Stream.range(0, count - 1), (index) => ({
  key: String(index),
  request: { recipient: `+1555${1_000_000 + index}7`, message: `Hello ${index}` }
}))

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20)

await withServer(new URL("../../../bench/server.ts", import.meta.url), async (baseUrl) => {
  const services = Layer.merge(
    Sqlite.layer(join(folder, "journal.db")),
    MessagingTopup.layer({ baseUrl, token: Redacted.make("token") }).pipe(
      Layer.provide(NodeTransport.layer)
    )
  )
  const started = performance.now()
  let last: unknown
  let heap = 0
  const note = (event: unknown) =>
    Effect.sync(() => {
      last = event
      heap = Math.max(heap, process.memoryUsage().heapUsed)
    })
  await Campaign.run("c", rows).pipe(
    Stream.runForEach(note),
    Effect.provide(services),
    Effect.runPromise
  )
  const seconds = (performance.now() - started) / 1000
  const { maxRSS } = process.resourceUsage()
  console.log(
    JSON.stringify({
      rows: count,
      seconds: Math.round(seconds),
      rowsPerSecond: Math.round(count / seconds),
      heapMiB: mebibytes(heap),
      largestMiB: mebibytes(maxRSS * 1024),
      last
    })
  )
})
rmSync(folder, { recursive: true })
