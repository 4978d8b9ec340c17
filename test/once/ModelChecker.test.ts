import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { isFull } from "../harness/Runs.ts"
import { type Explored, explore } from "../harness/journal/ModelChecker.ts"
import { type Budget, sendModel, type Store } from "../harness/journal/SendModel.ts"
import { inMemory } from "../harness/journal/Stores.ts"
import { rewriting } from "../harness/journal/Statements.ts"

/** A request starts within ten seconds of its claim, and a tick is longer. */
const inTime = (late: number): boolean => late === 0

const checkOn = (store: Store, budget: Budget, mayStart = inTime) =>
  Effect.promise(() => explore(sendModel(store, budget, mayStart)))

const checkRewritten = (rewrite: (sql: string) => string, budget: Budget) =>
  rewriting(
    rewrite,
    Effect.flatMap(inMemory, (store) => checkOn(store, budget))
  )

// One journal for all budgets: they share many steps.
const scope = Scope.makeUnsafe()
let store: Store
beforeAll(async () => {
  store = await Effect.runPromise(Scope.provide(inMemory, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const check = (budget: Budget, mayStart = inTime) =>
  Effect.suspend(() => checkOn(store, budget, mayStart))

const expectNone = ({ problem, states, steps }: Explored) => {
  console.log(`${states} states, ${steps} steps`)
  expect(problem?.what, problem?.path.join("; ")).toBeUndefined()
}

describe("every order of steps of senders, a person, the service and time keeps the rule", () => {
  const budgets: ReadonlyArray<Budget> = isFull
    ? [
        { senders: 2, decisions: 3, losses: 0 },
        { senders: 3, decisions: 1, losses: 0 },
        { senders: 2, decisions: 1, losses: 2 }
      ]
    : [
        { senders: 2, decisions: 1, losses: 1 },
        { senders: 2, decisions: 2, losses: 0 }
      ]

  it.live.each(budgets)("%j", (budget) => Effect.map(check(budget), expectNone))

  it.live("senders that write to one person, each in a list of its own, reach her once", () =>
    Effect.map(
      check({ senders: 2, decisions: 1, losses: isFull ? 1 : 0, isOnePerson: true }),
      expectNone
    )
  )

  it.live.skipIf(isFull)(
    "a key that is forgotten between look and claim is begun anew by one of its senders",
    () => Effect.map(check({ senders: 3, decisions: 0, losses: 0, prunes: 1 }), expectNone)
  )

  it.live("an engine that sends a row of a campaign is one of its senders", () =>
    Effect.map(
      check({ senders: isFull ? 2 : 1, engines: 1, decisions: isFull ? 2 : 1, losses: 0 }),
      expectNone
    )
  )
})

interface Mutant {
  readonly title: string
  readonly condition: RegExp | string
  readonly instead: string
  readonly finds: string
  /** What differs from the usual budget. */
  readonly budget?: Partial<Budget>
}

const mutants: ReadonlyArray<Mutant> = [
  {
    title: "a claim does not look at earlier attempts that are known as sent",
    condition: "in ('claimed', 'sent', 'unknown', 'closed')",
    instead: "in ('claimed', 'unknown', 'closed')",
    finds: "a key was claimed although it is known as sent"
  },
  {
    title: "a key is claimed again by another ticket",
    condition: "where stored.ticket = excluded.ticket and stored.state = 'claimed'",
    instead: "where stored.state = 'claimed'",
    finds: "a request starts although its claim reads as unknown, or was decided"
  },
  {
    title: "a repeated claim keeps the time of the first one",
    condition: "claimed_at = excluded.claimed_at, stale_at = excluded.stale_at",
    instead: "claimed_at = stored.claimed_at, stale_at = stored.stale_at",
    finds: "a request starts although its claim reads as unknown, or was decided"
  },
  {
    title: "a claim is released by any ticket",
    condition: "(key, attempt, ticket) in (\n      select key, attempt, ticket",
    instead: "(key, attempt) in (\n      select key, attempt",
    finds: "a request starts although its claim reads as unknown, or was decided"
  },
  {
    title: "what a person has closed is deleted by a late release",
    condition: "and state = 'claimed' and (key",
    instead: "and state in ('claimed', 'closed') and (key",
    finds: "a key was claimed that a person had closed"
  },
  {
    title: "a late response does not replace a decision",
    condition: "or fields.state = 'sent' and (stored.state <> 'sent' or stored.messages is null)",
    instead: "",
    finds: "a response that says sent was dropped"
  },
  {
    title: "a decision is taken back after a later attempt",
    condition: "where later.key = stored.key and later.attempt > stored.attempt",
    instead: "where 1 = 0 and later.key = stored.key and later.attempt > stored.attempt",
    finds: "a decision changed what does not stand as it was shown",
    budget: { decisions: 2, losses: 0 }
  },
  {
    title: "a decision takes back what the service said",
    condition: "stored.decided_at is not null and",
    instead: "",
    finds: "a decision changed what does not stand as it was shown"
  },
  {
    title: "a decision forgets what was shown",
    condition: /(?<=update .* where id in .* and \()(?=stored\.state = 'unknown')/s,
    instead: "stored.decided_at is not null or ",
    finds: "a decision changed what does not stand as it was shown",
    budget: { decisions: 2, losses: 0 }
  },
  {
    title: "a decision forgets the attempt",
    condition: /(?<=update .* where )(id in .* as chosen\))/s,
    instead: "key in (select key from send where $1)",
    finds: "a decision changed what does not stand as it was shown",
    budget: { decisions: 2, losses: 0 }
  },
  {
    title: "a claim does not ask for another text to the same person that is in flight",
    condition: "other.state in ('claimed', 'sent', 'unknown')",
    instead: "other.state in ('sent', 'unknown')",
    finds: "more SMS went out than a person's decisions allow",
    budget: { isOnePerson: true, losses: 0 }
  },
  {
    title: "a claim does not ask for another SMS to the same person that is sent",
    condition: "other.state in ('claimed', 'sent', 'unknown')",
    instead: "other.state in ('claimed', 'unknown')",
    finds: "a key was claimed although it is known as sent",
    budget: { isOnePerson: true, losses: 0 }
  },
  {
    title: "a claim does not ask for another SMS to the same person whose outcome is unknown",
    condition: "other.state in ('claimed', 'sent', 'unknown')",
    instead: "other.state in ('claimed', 'sent')",
    finds: "more SMS went out than a person's decisions allow",
    budget: { isOnePerson: true, losses: 0 }
  },
  {
    title: "a claim does not ask for the same text of another list",
    condition: "or other.content = fields.content",
    instead: "or 1 = 0 and other.content = fields.content",
    finds: "a key was claimed although it is known as sent",
    budget: { isOnePerson: true, losses: 0 }
  },
  {
    title: "a repeated claim is that of its ticket, whatever came in between",
    condition: "and other.key <> fields.key",
    instead:
      "and not exists (select 1 from send as own where own.key = fields.key and own.ticket = $ticket)",
    finds: "a key was claimed although it is known as sent",
    budget: { isOnePerson: true, losses: 2 }
  },
  {
    title: "a row that an engine sends is the program's",
    condition: "fields.attempt, fields.owner",
    instead: "fields.attempt, 'program'",
    finds: "a question does not show what can be decided",
    budget: { senders: 1, engines: 1, losses: 0 }
  },
  {
    title: "a claim does not look at earlier attempts that a person closed",
    condition: "where earlier.state in ('claimed', 'sent', 'unknown', 'closed')",
    instead: "where earlier.state in ('claimed', 'sent', 'unknown')",
    finds: "a key was claimed that a person had closed",
    budget: { decisions: 2, losses: 0 }
  },
  {
    title: "a claim does not ask whether the attempt before it is there",
    condition: "count(*) filter (where earlier.attempt = fields.attempt - 1)",
    instead: "1",
    finds: "a key was claimed although it is known as sent",
    budget: { senders: 3, decisions: 0, losses: 0, prunes: 1 }
  },
  {
    title: "a settlement misses what it has released",
    condition: "where fields.state <> 'nothing' and (",
    instead: "where (",
    finds: "a settlement misses a claim that was there"
  },
  {
    title: "a settlement misses what was settled or decided before",
    condition: "and stored.ticket = fields.ticket\n        and stored.attempt between",
    instead:
      "and stored.ticket = fields.ticket and stored.state = 'claimed'\n        and stored.attempt between",
    finds: "a settlement misses a claim that was there"
  },
  {
    title: "a person decides while the request may still start",
    condition: "stored.stale_at <= $now",
    instead: "stored.stale_at <= $now + 100000",
    finds: "a decision changed what does not stand as it was shown"
  }
]

/** Replaces one condition in the statements of a journal that is opened meanwhile. */
const without = ({ condition, instead }: Mutant) => {
  let count = 0
  const rewrite = (sql: string): string => {
    const rewritten = sql.replace(condition, instead)
    if (rewritten !== sql) count++
    return rewritten
  }
  const isThere = Effect.sync(() => expect(count, String(condition)).toBeGreaterThan(0))
  return { rewrite, isThere }
}

describe("the model checker finds the violation when", () => {
  const budget = { senders: 2, decisions: 1, losses: 1 }

  // They test the checker. The quick run tries every fourth, the full tests the others.
  const tried = mutants.filter((_, at) => (at % 4 === 0) !== isFull)

  it.live.each(tried)("$title", (mutant) =>
    Effect.gen(function* () {
      const { isThere, rewrite } = without(mutant)
      const { problem } = yield* checkRewritten(rewrite, { ...budget, ...mutant.budget })
      yield* isThere
      expect(problem?.what, problem?.path.join("; ")).toBe(mutant.finds)
    })
  )

  it.live("a request starts after the deadline of its claim", () =>
    Effect.gen(function* () {
      const { problem } = yield* check(budget, () => true)
      expect(problem?.what).toBe(
        "a request starts although its claim reads as unknown, or was decided"
      )
    })
  )
})
