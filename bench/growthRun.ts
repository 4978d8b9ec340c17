/**
 * Sends a campaign on SQLite, in its own process: `growthRun.ts <url> <rows>`.
 */
import { sendMany } from "@messaging-topup/campaign"
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memoryOf, timed } from "./measure.ts"

const [baseUrl = "", counted = ""] = process.argv.slice(2)
const count = Number(counted)
const folder = mkdtempSync(join(tmpdir(), "bench-growth-"))

const rows = Stream.map(Stream.range(0, count - 1), (index) => ({
  key: String(index),
  request: { recipient: `+1555${1_000_000 + index}7`, message: `Hello ${index}` }
}))

const services = Layer.merge(
  Sqlite.layer(join(folder, "journal.db")),
  MessagingTopup.layer({ baseUrl, token: Redacted.make("token-of-the-benchmark") }).pipe(
    Layer.provide(NodeTransport.layer)
  )
)

const run = Effect.provide(sendMany(rows, { campaign: "growth" }), services)

const { wall } = await timed(() => Effect.runPromise(run))

const disk = readdirSync(folder).map((file) => statSync(join(folder, file)).size)
rmSync(folder, { recursive: true })

process.send?.({
  seconds: wall / 1_000_000,
  residentBytes: memoryOf("VmHWM"),
  diskBytes: disk.reduce((sum, size) => sum + size, 0)
})
