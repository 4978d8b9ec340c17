/**
 * Creates a journal with a million settled rows, writes its report, and prints the time and memory of the
 * report.
 */
import { Campaign } from "@messaging-topup/campaign"
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

const [, , file = "", page = ""] = process.argv
const journal = Sqlite.layer(file)
const row = { key: "first", request: { recipient: "+15551230000", message: "Hello" } }

await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(SendJournal, ({ append }) => append("c", [row])),
    journal
  )
)

// SQL writes the rows directly: through the journal it would take minutes.
const database = new DatabaseSync(file)
database.exec(`delete from send; delete from slice;
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
  insert into slice (id, campaign, done_at) select i, 'c', 0 from n;
  with recursive n(i) as (select 0 union all select i + 1 from n where i < 999999)
  insert into send (id, campaign, key, recipient, message, state, info, at, message_id, status)
  select (1 + i / 500) * 512 + i % 500, 'c', 'order-' || i, '+1555' || (1000000 + i),
    'Your order ' || i || ' is on its way. You can follow it at https://shop.example/' || i,
    case when i % 101 = 0 then 'rejected' when i % 400 = 1 then 'unknown' else 'sent' end,
    case when i % 101 = 0 then 'InvalidRequest 40' || i % 5 when i % 400 = 1 then 'ConnectionLost' end,
    1700000000000 + i * 97, 'm-' || i, case when i % 7 = 0 then 'queued' else 'delivered' end
  from n`)
const counted = database.prepare("select state, count(*) as count from send group by state").all()
database.close()

const started = performance.now()
let maxRss = 0
const sampler = setInterval(() => (maxRss = Math.max(maxRss, process.memoryUsage.rss())), 50)
const html = await Effect.runPromise(Effect.provide(Campaign.report("c"), journal))
clearInterval(sampler)
const seconds = Math.round((performance.now() - started) / 100) / 10
writeFileSync(page, html)

console.log(
  JSON.stringify({
    counts: Object.fromEntries(counted.map(({ count, state }) => [state, count])),
    seconds,
    kilobytes: Math.round(Buffer.byteLength(html) / 1000),
    maxRssMiB: Math.round(maxRss / 1_048_576)
  })
)
