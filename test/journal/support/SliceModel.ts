/**
 * A model of two attempts at one slice, the service, a person, and a connection to the journal that loses
 * responses.
 *
 * An attempt that takes no step is frozen, until its next step. A crash is a freeze that never ends. Rows
 * are alike, so states that differ only in the order of their rows are equal.
 */
import type {
  CampaignJournal,
  CampaignStopped,
  Decision,
  JournalError,
  RowOutcome,
  RowState,
  SendJournal,
  SliceNotFound
} from "@messaging-topup/journal"
import type * as Effect from "effect/Effect"
import type { DatabaseSync } from "node:sqlite"
import type { Model, Step } from "./ModelChecker.ts"

/**
 * The stage of a row in an attempt. `taken` and `not taken`: whether the service accepted its request.
 * `late`: its deadline passed before its request started.
 */
type Stage = "none" | "to claim" | "claimed" | "late" | "taken" | "not taken" | RowOutcome

interface ModelRow {
  readonly state: RowState
  readonly epoch: number
  /** Whether the journal stores a claim whose deadline has not passed. */
  readonly isFresh: boolean
  /** How often it became pending, minus the requests that started for it. */
  readonly unused: number
  /** Whether the service accepted a request for it. */
  readonly isTaken: boolean
  /** Whether a person decided on it. From then on, the decision counts as the truth. */
  readonly isDecided: boolean
  readonly stages: readonly [Stage, Stage]
}

type Phase = "waiting" | "running" | "over"

interface Runner {
  readonly phase: Phase
  readonly epoch: number
}

interface World {
  readonly rows: ReadonlyArray<ModelRow>
  readonly runners: readonly [Runner, Runner]
  readonly epoch: number
  readonly isDone: boolean
  /** How many more decisions and lost responses are possible. */
  readonly decisions: number
  readonly losses: number
  /** A violation in the step itself. */
  readonly wrong?: string
}

export interface Budget {
  readonly rows: number
  readonly decisions: number
  readonly losses: number
  /**
   * Whether claims have a deadline, and requests can be rejected. Otherwise all deadlines have passed for the
   * journal, and a request starts at any time.
   */
  readonly hasDeadlines?: boolean
}

type RunnerIndex = 0 | 1

const others = { 0: 1, 1: 0 } as const

/** How many rows an attempt claims in one turn. It needs two turns for a slice of three rows. */
const claimsPerTurn = 2

const withStage = (row: ModelRow, who: RunnerIndex, stage: Stage): ModelRow => ({
  ...row,
  stages: who === 0 ? [stage, row.stages[1]] : [row.stages[0], stage]
})

const withRunner = (world: World, who: RunnerIndex, runner: Runner): World => ({
  ...world,
  runners: who === 0 ? [runner, world.runners[1]] : [world.runners[0], runner]
})

const withRow = (world: World, index: number, row: ModelRow): World => ({
  ...world,
  rows: world.rows.with(index, row)
})

const outcomes: ReadonlyArray<Stage> = ["sent", "unknown", "not-sent", "rejected", "released"]

const isOutcome = (stage: Stage): stage is RowOutcome => outcomes.includes(stage)

const outcomeOf = (stage: Stage): RowOutcome | undefined => (isOutcome(stage) ? stage : undefined)

type NextStages = Readonly<Partial<Record<Stage, ReadonlyArray<Stage>>>>

/** A request starts, the service accepts it or not, and the response arrives or not. */
const withoutDeadlines: NextStages = {
  claimed: ["taken", "not taken"],
  taken: ["sent", "unknown"],
  "not taken": ["not-sent", "unknown"]
}

const withDeadlines: NextStages = {
  ...withoutDeadlines,
  late: ["released"],
  "not taken": ["rejected", "unknown"]
}

const rowKey = ({ epoch, isDecided, isFresh, isTaken, stages, state, unused }: ModelRow): string =>
  `${state} ${epoch} ${unused} ${isFresh} ${isTaken} ${isDecided} ${stages[0]} ${stages[1]}`

const sorted = (world: World): World => {
  const keyed = world.rows.map((row) => ({ key: rowKey(row), row }))
  return {
    ...world,
    rows: keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row)
  }
}

const problemOf = (
  { epoch, isDone, rows, wrong }: World,
  mayReject: boolean
): string | undefined => {
  if (wrong !== undefined) return wrong
  for (const { isDecided, isTaken, state, unused, ...row } of rows) {
    if (unused < 0) return "more requests started than the row became pending"
    const isKnown = state === "sent" || state === "unknown" || state === "attempting"
    if (isTaken && !isKnown && !isDecided) return `the service accepted a row that is ${state}`
    // Nobody decides so, and all rows have tries left.
    if (state === "rejected" && !mayReject) return "a row that did not go out is never sent"
    if (state === "attempting" && row.epoch !== epoch) return "a row waits for a superseded attempt"
    if (isDone && (state === "pending" || state === "attempting"))
      return "a done slice has an open row"
  }
  return undefined
}

export const sliceModel = (
  journal: SendJournal["Service"],
  campaigns: CampaignJournal["Service"],
  database: DatabaseSync,
  run: <A>(effect: Effect.Effect<A, CampaignStopped | JournalError | SliceNotFound>) => A,
  slice: number,
  budget: Budget
): Model<World> => {
  const hasDeadlines = budget.hasDeadlines === true
  const nextStages = hasDeadlines ? withDeadlines : withoutDeadlines
  const all = run(journal.rows(slice))
  const ids = all.map(({ id }) => id)
  const keys = all.map(({ key }) => key)
  const begins = database.prepare("begin")
  const commits = database.prepare("commit")
  const readRows = database.prepare("select state, epoch, claimed_at from send order by id")
  const readSlice = database.prepare("select epoch, done_at from slice")
  const writeRow = database.prepare(
    "update send set state = ?, epoch = ?, tries = 0, claimed_at = ? where id = ?"
  )
  const writeSlice = database.prepare("update slice set epoch = ?, done_at = ?")

  /** Sets the journal to the state of the world. */
  const restore = ({ epoch, isDone, rows }: World): void => {
    begins.run()
    for (const [index, row] of rows.entries()) {
      // The clock stands still at 0. The deadlines of other claims have passed.
      writeRow.run(row.state, row.epoch, row.isFresh ? 0 : -60_000, ids[index] ?? -1)
    }
    writeSlice.run(epoch, isDone ? 0 : null)
    commits.run()
  }

  /** Returns the world with the state of the journal after a step. */
  const observed = (world: World): World => {
    const states = readRows.all()
    const found = readSlice.get()
    const rows = world.rows.map((row, index) => {
      const state = String(states[index]?.["state"]) as RowState
      const isNewVisit = state === "pending" && row.state !== "pending"
      const unused = isNewVisit ? row.unused + 1 : row.unused
      const isFresh = hasDeadlines && states[index]?.["claimed_at"] === 0
      return { ...row, state, unused, isFresh, epoch: Number(states[index]?.["epoch"]) }
    })
    return { ...world, rows, epoch: Number(found?.["epoch"]), isDone: found?.["done_at"] !== null }
  }

  const begin = (world: World, who: RunnerIndex): World => {
    restore(world)
    const { attempt } = run(journal.begin(slice))
    const after = withRunner(world, who, { phase: "running", epoch: attempt.epoch })
    // It tries to claim all rows, not only the pending ones: the journal must refuse the others.
    return observed({ ...after, rows: after.rows.map((row) => withStage(row, who, "to claim")) })
  }

  const exchange = (world: World, who: RunnerIndex, isLost: boolean): World => {
    restore(world)
    const { epoch } = world.runners[who]
    const settle = world.rows.flatMap(({ stages }, index) => {
      const outcome = outcomeOf(stages[who])
      return outcome === undefined ? [] : [{ id: ids[index] ?? -1, outcome }]
    })
    const wanted = world.rows
      .flatMap(({ stages }, index) => (stages[who] === "to claim" ? [index] : []))
      .slice(0, claimsPerTurn)
    const claim = wanted.map((index) => ids[index] ?? -1)
    const claimed = new Set(run(journal.exchange({ slice, epoch }, { settle, claim })))
    const after = observed(world)
    if (isLost) return { ...after, losses: world.losses - 1 }
    const isForgotten = after.rows.some(
      ({ isDecided, stages, state }) => stages[who] === "sent" && state !== "sent" && !isDecided
    )
    return {
      ...after,
      rows: after.rows.map((row, index) => {
        if (outcomeOf(row.stages[who]) !== undefined) return withStage(row, who, "none")
        if (!wanted.includes(index)) return row
        return withStage(row, who, claimed.has(ids[index] ?? -1) ? "claimed" : "none")
      }),
      ...(isForgotten ? { wrong: "an acceptance was settled and is not stored" } : {})
    }
  }

  const end = (world: World, who: RunnerIndex): World => {
    restore(world)
    const { epoch } = world.runners[who]
    run(journal.end({ slice, epoch }))
    return observed(withRunner(world, who, { phase: "over", epoch: 0 }))
  }

  const requestSteps = (world: World, who: RunnerIndex): ReadonlyArray<Step<World>> =>
    world.rows.flatMap((row, index) =>
      (nextStages[row.stages[who]] ?? []).map((stage) => ({
        name: `${who + 1}: row ${index} is ${stage}`,
        next: () => {
          const hasStarted = row.stages[who] === "claimed"
          const sent = hasStarted ? { unused: row.unused - 1 } : {}
          const taken = stage === "taken" ? { isTaken: true } : {}
          return withRow(world, index, withStage({ ...row, ...sent, ...taken }, who, stage))
        }
      }))
    )

  const runnerSteps = (world: World, who: RunnerIndex): ReadonlyArray<Step<World>> => {
    const step = (what: string, next: () => World) => ({ name: `${who + 1} ${what}`, next })
    const { phase } = world.runners[who]
    if (phase === "over") return []
    if (phase === "waiting") {
      // The attempts are alike, so it does not matter which of them begins first.
      return who === 1 && world.runners[others[who]].phase === "waiting"
        ? []
        : [step("begins", () => begin(world, who))]
    }
    const stages = world.rows.map((row) => row.stages[who])
    const isReady = stages.some((stage) => stage === "to claim" || outcomeOf(stage) !== undefined)
    const steps = [...requestSteps(world, who)]
    if (isReady) {
      steps.push(step("exchanges", () => exchange(world, who, false)))
      if (world.losses > 0) {
        steps.push(step("exchanges, and the response is lost", () => exchange(world, who, true)))
      }
    }
    if (stages.every((stage) => stage === "none")) steps.push(step("ends", () => end(world, who)))
    return steps
  }

  const decided = (world: World, index: number, decide: (key: string) => void): World => {
    restore(world)
    decide(keys[index] ?? "")
    const row = world.rows[index]
    if (row === undefined) return world
    const after = observed(withRow(world, index, { ...row, isDecided: true }))
    const isPending = after.rows[index]?.state === "pending"
    const mayStart = hasDeadlines && row.stages.includes("claimed")
    return {
      ...after,
      decisions: world.decisions - 1,
      ...(isPending && mayStart
        ? { wrong: "a row is resent although its request may still start" }
        : {})
    }
  }

  /** "rejected" is left out: it is as final as "sent", and the steps after it are the same. */
  const decisions: ReadonlyArray<Decision> = ["sent", "resend"]

  const personSteps = (world: World): ReadonlyArray<Step<World>> =>
    world.decisions === 0
      ? []
      : world.rows.flatMap(({ state }, index) => {
          const step = (what: string, decide: (key: string) => void) => ({
            name: `a person: row ${index} is ${what}`,
            next: () => decided(world, index, decide)
          })
          if (state === "rejected") {
            return [step("retried", (key) => void run(campaigns.retryRows("c", [key])))]
          }
          return state === "unknown"
            ? decisions.map((decision) =>
                step(decision, (key) => void run(journal.resolveRow("c", key, decision)))
              )
            : []
        })

  /** The deadline of all claims of a row passes: a request that has not started can no longer start. */
  const timeSteps = (world: World): ReadonlyArray<Step<World>> =>
    world.rows.flatMap((row, index) => {
      if (!row.isFresh && !(hasDeadlines && row.stages.includes("claimed"))) return []
      const [one, two] = row.stages.map((stage) => (stage === "claimed" ? "late" : stage))
      const stages = [one ?? "none", two ?? "none"] as const
      return [
        {
          name: `the deadline of row ${index} passes`,
          next: () => withRow(world, index, { ...row, isFresh: false, stages })
        }
      ]
    })

  return {
    initial: () => ({
      rows: ids.map(() => ({
        state: "pending",
        epoch: 0,
        isFresh: false,
        unused: 1,
        isTaken: false,
        isDecided: false,
        stages: ["none", "none"]
      })),
      runners: [
        { phase: "waiting", epoch: 0 },
        { phase: "waiting", epoch: 0 }
      ],
      epoch: 0,
      isDone: false,
      decisions: budget.decisions,
      losses: budget.losses
    }),
    steps: (world) =>
      [
        ...runnerSteps(world, 0),
        ...runnerSteps(world, 1),
        ...personSteps(world),
        ...timeSteps(world)
      ].map(({ name, next }) => ({ name, next: () => sorted(next()) })),
    problem: (world) => problemOf(world, hasDeadlines),
    key: ({ decisions: toDecide, epoch, isDone, losses, rows, runners }) =>
      `${toDecide} ${losses} ${epoch} ${isDone} ${runners.map((r) => `${r.phase} ${r.epoch}`).join()} ${rows.map(rowKey).join()}`
  }
}
