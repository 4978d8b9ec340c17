/**
 * Appends rows to a journal, then begins and ends all slices. Prints the heap sizes after garbage
 * collections on the way and the maximum resident memory, both in MiB, and the time of each phase.
 */
import { type NewRow, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { journalOf } from "../support/JournalOf.ts"

const [, , place = "", count = "1000000"] = process.argv
const rowsPerAppend = 5000

const rowsFrom = (start: number): ReadonlyArray<NewRow> =>
  Array.from({ length: rowsPerAppend }, (_, index) => ({
    key: `customer-${start + index}`,
    request: { recipient: `+1555${start + index}`, message: "Your parcel is at the door" }
  }))

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

let maxRss = 0

const heap = (): number => {
  // Not the kernel's maximum, which includes the memory of the parent process at the fork.
  maxRss = Math.max(maxRss, Math.round(process.memoryUsage.rss() / 1_048_576))
  collect()
  return Math.round(process.memoryUsage().heapUsed / 1_048_576)
}

const program = Effect.gen(function* () {
  const journal = yield* SendJournal
  const kept = new Array<number>()
  const started = performance.now()
  for (let start = 0; start < Number(count); start += rowsPerAppend) {
    yield* journal.append("c", rowsFrom(start))
    if ((start / rowsPerAppend) % 20 === 19) kept.push(heap())
  }
  const appended = performance.now()
  const slices = yield* journal.openSlices("c")
  let read = 0
  for (const [index, slice] of slices.entries()) {
    const { attempt, rows } = yield* journal.begin(slice)
    read += rows.length
    yield* journal.end(attempt)
    if (index % 200 === 199) kept.push(heap())
  }
  const ended = performance.now()
  const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10
  return {
    read,
    kept,
    maxRss,
    appendSeconds: seconds(started, appended),
    readSeconds: seconds(appended, ended)
  }
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, journalOf(place)))))
