import { describe, expect, it } from "@effect/vitest"
import {
  CampaignJournal,
  type JournalError,
  layerMemory,
  SendClaims,
  SendJournal
} from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { isFull } from "../support/Runs.ts"
import { rowsNamed } from "./conformance/Slices.ts"
import { type Explored, explore } from "./support/ModelChecker.ts"
import { journalFile } from "./support/Files.ts"
import { onceModel } from "./support/OnceModel.ts"
import { withDatabase } from "./support/OpenedDatabase.ts"
import { type Budget, sliceModel } from "./support/SliceModel.ts"
import { rewriting } from "./support/Statements.ts"

type Journal = Layer.Layer<CampaignJournal | SendClaims | SendJournal, JournalError>

/** A clock that stands still until a model sets it. */
const manualClock = () => {
  let now = 0
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: () => 0n,
    currentTimeNanos: Effect.succeed(0n),
    monotonicTimeNanosUnsafe: () => 0n,
    monotonicTimeNanos: Effect.succeed(0n),
    sleep: () => Effect.never
  }
  const run = <A, E>(effect: Effect.Effect<A, E>): A =>
    Effect.runSync(Effect.provideService(effect, Clock.Clock, clock))
  return { run, setTime: (to: number) => (now = to) }
}

/** Returns the journal's services, and the database that they opened. */
const opened = (layer: Journal) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const build = Effect.provideService(
      Layer.buildWithScope(Layer.fresh(layer), scope),
      Clock.Clock,
      yield* Clock.Clock
    )
    return yield* Effect.promise(() => withDatabase(() => Effect.runPromise(build)))
  })

const exploreSlice = Effect.fnUntraced(function* (layer: Journal, budget: Budget) {
  const [context, database] = yield* opened(layer)
  const { run } = manualClock()
  const journal = Context.get(context, SendJournal)
  run(journal.append("c", rowsNamed("a", "b", "c").slice(0, budget.rows)))
  const [slice = 0] = run(journal.openSlices("c"))
  const campaigns = Context.get(context, CampaignJournal)
  return explore(sliceModel(journal, campaigns, database, run, slice, budget))
})

const exploreOnce = Effect.fnUntraced(function* (layer: Journal) {
  const [context, database] = yield* opened(layer)
  const { run, setTime } = manualClock()
  return explore(onceModel(Context.get(context, SendClaims), database, run, setTime))
})

const print = (what: string) => (explored: Explored) =>
  Effect.sync(() => console.log(`${what}: ${explored.states} states, ${explored.steps} steps`))

const inFile = Effect.map(journalFile, Sqlite.layer)

const decision = readFileSync(
  new URL("../../docs/decisions/0011-the-journal.md", import.meta.url),
  "utf8"
)

/** The decision gives the numbers of states. */
const expectDocumented = ({ states }: Explored) =>
  expect(decision).toContain(` ${states.toLocaleString("en-US")} `)

/**
 * `test` checks smaller models: without a person's decisions, or with one row. In `test:full` each takes
 * up to ten seconds.
 */
describe("every order of steps keeps the rules", () => {
  it.live("for two attempts of a slice of three rows, in memory", () =>
    Effect.gen(function* () {
      const budget = { rows: 3, decisions: isFull ? 1 : 0, losses: 0 }
      const explored = yield* Effect.tap(
        exploreSlice(layerMemory, budget),
        print("slice in memory")
      )
      expect(explored.problem).toBeUndefined()
      expectDocumented(explored)
    })
  )

  it.live("for two attempts of a slice of three rows, in a file", () =>
    Effect.gen(function* () {
      const budget = { rows: isFull ? 3 : 1, decisions: 0, losses: isFull ? 0 : 1 }
      const explored = yield* Effect.flatMap(inFile, (layer) => exploreSlice(layer, budget))
      yield* print("slice in a file")(explored)
      expect(explored.problem).toBeUndefined()
      if (isFull) expectDocumented(explored)
      else expect(explored.states).toBeGreaterThan(200)
    })
  )

  it.live("for claims with deadlines, and rejected rows that a person takes up again", () =>
    Effect.gen(function* () {
      const budget = {
        rows: isFull ? 2 : 1,
        decisions: 1,
        losses: isFull ? 0 : 1,
        hasDeadlines: true
      }
      const explored = yield* Effect.tap(
        exploreSlice(layerMemory, budget),
        print("slice with deadlines")
      )
      expect(explored.problem).toBeUndefined()
      if (isFull) expectDocumented(explored)
    })
  )

  it.live("for two callers of a key", () =>
    Effect.gen(function* () {
      const layer = isFull ? yield* inFile : layerMemory
      const explored = yield* Effect.tap(exploreOnce(layer), print("key"))
      expect(explored.problem).toBeUndefined()
      expectDocumented(explored)
    })
  )
})

/** Replaces one condition in the statements. `isThere` checks that the condition was found. */
const without = (condition: string, instead: string) => {
  let count = 0
  const rewrite = (sql: string): string => {
    const rewritten = sql.replace(condition, instead)
    if (rewritten !== sql) count++
    return rewritten
  }
  const isThere = Effect.sync(() => expect(count, condition).toBeGreaterThan(0))
  return { rewrite, isThere }
}

const sliceRules = [
  {
    title: "begin leaves the claims of earlier attempts as they are",
    condition: "state = 'unknown', at = $3",
    instead: "at = $3",
    finds: "a row waits for a superseded attempt"
  },
  {
    title: "an attempt claims rows with any epoch",
    condition: "and exists (select 1 from slice where id = $1 and epoch = $2)",
    instead: "and $1 = $1",
    finds: "a row waits for a superseded attempt"
  },
  {
    title: "an attempt claims rows that are not pending",
    condition: "state = 'pending' and epoch < $2 or",
    instead: "epoch < $2 or",
    finds: "more requests started than the row became pending"
  },
  {
    title: "an attempt settles what another one claimed",
    condition: "and send.epoch = $2",
    instead: "",
    finds: "the service accepted a row that is pending"
  },
  {
    title: "a row that is released late does not reopen its slice",
    condition: "where id = $1 and epoch <> $2 and exists",
    instead: "where id = $1 and $2 <> $2 and exists",
    finds: "a done slice has an open row"
  },
  {
    title: "a slice with pending or attempting rows is done",
    condition: "and state in ('pending', 'attempting')\n          )",
    instead: "and state = 'nothing')",
    finds: "a done slice has an open row"
  },
  {
    title: "a decision does not reopen the slice",
    condition: "set done_at = null where id in",
    instead: "set done_at = done_at where id in",
    finds: "a done slice has an open row"
  },
  {
    title: "a person resends a row whose request may still start",
    condition: "and (claimed_at is null or claimed_at not between $5 and $6)",
    instead: "",
    finds: "a row is resent although its request may still start"
  },
  {
    title: "a repeated claim keeps the time of the first one",
    condition: "claimed_at = $3, at = $3, info = null",
    instead: "claimed_at = coalesce(claimed_at, $3), at = $3, info = null",
    finds: "a row is resent although its request may still start"
  }
]

const keyRules = [
  {
    title: "a claim in flight does not block the key",
    condition: "where key = $1 and state <> 'resend'",
    instead: "where key = $1 and state not in ('resend', 'claimed')",
    finds: "more requests started than the key became free"
  },
  {
    title: "a claim is settled by its key",
    condition: "where claim = $1 and state in",
    instead: "where key = (select key from once where claim = $1) and state in",
    finds: "an SMS that was sent is forgotten"
  }
]

describe("the model checker finds the violation when", () => {
  it.live.each(sliceRules)("$title", ({ condition, finds, instead }) =>
    Effect.gen(function* () {
      const { isThere, rewrite } = without(condition, instead)
      const budget = { rows: 1, decisions: 1, losses: 1, hasDeadlines: true }
      const { problem } = yield* rewriting(rewrite, exploreSlice(layerMemory, budget))
      yield* isThere
      expect(problem?.what, problem?.path.join("; ")).toBe(finds)
    })
  )

  it.live.each(keyRules)("$title", ({ condition, finds, instead }) =>
    Effect.gen(function* () {
      const { isThere, rewrite } = without(condition, instead)
      const { problem } = yield* rewriting(rewrite, exploreOnce(layerMemory))
      yield* isThere
      expect(problem?.what, problem?.path.join("; ")).toBe(finds)
    })
  )
})
