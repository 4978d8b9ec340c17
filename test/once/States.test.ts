/** A send in each of the six states, and its word on every surface. */
import { expect, it } from "@effect/vitest"
import { type SendState, states, wordOf } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import { copyFileSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import * as Struct from "effect/Struct"
import { join } from "node:path"
import { alone, command, fileOf, onSandbox, operate } from "../harness/Command.ts"
import { anyRoute, guarded } from "../harness/mcp/GuardedServer.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const all = Struct.keys(states)

const storedState = (state: SendState): string => (state === "in-flight" ? "claimed" : state)

/** Gives each send, in the order of their ids, one of the states. */
const giveStates = (file: string): void => {
  const database = new DatabaseSync(file)
  const ids = database.prepare("select id from send order by id").all()
  expect(ids).toHaveLength(all.length)
  const set = database.prepare("update send set state = ?, stale_at = ? where id = ?")
  for (const [index, state] of all.entries()) {
    const inAnHour = Date.now() + 3_600_000
    set.run(storedState(state), inAnHour, Number(ids[index]?.["id"] ?? 0))
  }
  database.close()
}

it.live("results, the report and a run have the words of the table", () =>
  Effect.gen(function* () {
    const rows = all.map((state, index) => `+1555100000${index}7,${state}`).join("\n")
    const { file, journal } = yield* fileOf(`recipient,message\n${rows}\n`)
    const args = [file, "--journal", journal]
    expect((yield* command(["run", ...args, "--yes", "--concurrency", "1"])).code).toBe(0)
    giveStates(journal)
    const { stdout } = yield* alone(["results", ...args])
    const words = stdout.trim().split("\n").slice(1)
    expect(words.map((line) => line.split(",")[3])).toEqual(all.map(wordOf))
    const report = join(file, "..", "report.html")
    yield* alone(["report", ...args, "--out", report])
    const page = readFileSync(report, "utf8").toLowerCase()
    for (const state of all)
      expect(page).toMatch(new RegExp(`<dt class="[a-z-]+">${wordOf(state)}</dt>`))
  }).pipe(onSandbox)
)

it.live("a state of unknown outcome is counted, kept by prune, and sent by no other list", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf("recipient,message\n+15551000017,Hello\n")
    expect((yield* command(["run", file, "--yes", "--journal", journal])).code).toBe(0)
    for (const state of all) {
      const isUnknown = states[state].outcome === "unknown"
      const of = `${journal}-${state}`
      copyFileSync(journal, of)
      const database = new DatabaseSync(of)
      const set = database.prepare("update send set state = ?, stale_at = ?")
      set.run(storedState(state), Date.now() + 3_600_000)
      database.close()
      const on = ["--journal", of]
      const dry = yield* alone(["run", file, "--dry-run", ...on])
      const counted = state === "freed" ? "to_send" : state.replace("-", "_")
      const compared = dry.events.find(({ event }) => event === "Compared")
      expect(compared, state).toMatchObject({ [counted]: 1 })
      const results = `${file}-${state}.csv`
      yield* alone(["results", file, "--out", results, ...on])
      const more = ["--outcome", wordOf(state), "--campaign", "other"]
      const other = yield* alone(["run", results, "--dry-run", ...more, ...on])
      expect(other.code === 2, state).toBe(isUnknown || state === "closed")
      const pruned = yield* alone(["prune", file, "--yes", ...on])
      expect(pruned.code === 1, state).toBe(isUnknown)
    }
  }).pipe(onSandbox)
)

it("sends and list_recent_sends have the words and outcomes of the table", async () => {
  const file = join(temporaryFolder(), "journal.sqlite")
  await using server = await guarded(anyRoute, ["--journal", file])
  for (const [index] of all.entries()) {
    await server.send({ recipient: `+1555200000${index}7`, message: "Hello" })
  }
  giveStates(file)
  const listed = await operate(["sends", "--journal", file])
  const known: ReadonlyArray<{ readonly state: string }> = listed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  // Newest first.
  expect(known.map(({ state }) => state)).toEqual(all.map(wordOf).toReversed())
  const { structured } = await server.call("list_recent_sends", {})
  const isOpen = (state: SendState) => Number(states[state].outcome === "unknown")
  const unknownFirst = all.toReversed().toSorted((one, other) => isOpen(other) - isOpen(one))
  expect(structured["data"]).toMatchObject(
    unknownFirst.map((state) => ({ state: wordOf(state), outcome: states[state].outcome }))
  )
})
