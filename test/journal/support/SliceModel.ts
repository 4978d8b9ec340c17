/**
 * Two attempts at one slice, the service, a person, and a line to the journal that loses answers.
 *
 * An attempt that takes no step is frozen, and its next step wakes it up; a crash is a freeze that no
 * step ends. Rows are alike, so states that differ in the order of their rows alone are one.
 */
import type {
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
import type { Model, Step } from "./Explorer.ts"

/** What an attempt has to do with a row; a request that left was taken by the service or not. */
type Part = "none" | "to claim" | "claimed" | "taken" | "not taken" | RowOutcome

interface ModelRow {
  readonly state: RowState
  readonly epoch: number
  /** How often it became pending, less the requests that left for it. */
  readonly unused: number
  /** Whether the service took a request for it. */
  readonly isTaken: boolean
  /** Whether a person decided on it: what it is from then on is the person's word. */
  readonly isDecided: boolean
  readonly parts: readonly [Part, Part]
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
  /** How many decisions and lost answers are to come at most. */
  readonly decisions: number
  readonly losses: number
  /** What was wrong in the step itself. */
  readonly wrong?: string
}

export interface Budget {
  readonly rows: number
  readonly decisions: number
  readonly losses: number
}

type Who = 0 | 1

const others = { 0: 1, 1: 0 } as const

/** An attempt claims so many rows in one turn, so that it takes more than one for a slice of three. */
const claimsAtOnce = 2

const withPart = (row: ModelRow, who: Who, part: Part): ModelRow => ({
  ...row,
  parts: who === 0 ? [part, row.parts[1]] : [row.parts[0], part]
})

const withRunner = (world: World, who: Who, runner: Runner): World => ({
  ...world,
  runners: who === 0 ? [runner, world.runners[1]] : [world.runners[0], runner]
})

const withRow = (world: World, index: number, row: ModelRow): World => ({
  ...world,
  rows: world.rows.with(index, row)
})

const outcomeOf = (part: Part): RowOutcome | undefined =>
  part === "accepted" || part === "unknown" || part === "not-sent" ? part : undefined

/** A request leaves, the service takes it or not, and says so or not. */
const nextParts: Readonly<Partial<Record<Part, ReadonlyArray<Part>>>> = {
  claimed: ["taken", "not taken"],
  taken: ["accepted", "unknown"],
  "not taken": ["not-sent", "unknown"]
}

const rowKey = ({ epoch, isDecided, isTaken, parts, state, unused }: ModelRow): string =>
  `${state} ${epoch} ${unused} ${isTaken} ${isDecided} ${parts[0]} ${parts[1]}`

const sorted = (world: World): World => {
  const keyed = world.rows.map((row) => ({ key: rowKey(row), row }))
  return {
    ...world,
    rows: keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ row }) => row)
  }
}

const problemOf = ({ epoch, isDone, rows, wrong }: World): string | undefined => {
  if (wrong !== undefined) return wrong
  for (const { isDecided, isTaken, state, unused, ...row } of rows) {
    if (unused < 0) return "more requests left than the row was pending"
    const isKnown = state === "accepted" || state === "unknown" || state === "attempting"
    if (isTaken && !isKnown && !isDecided) return `the service took a row that is ${state}`
    if (state === "attempting" && row.epoch !== epoch) return "a row waits for a superseded attempt"
    if (isDone && (state === "pending" || state === "attempting")) return "a done slice lost a row"
  }
  return undefined
}

export const sliceModel = (
  journal: SendJournal["Service"],
  database: DatabaseSync,
  run: <A>(effect: Effect.Effect<A, CampaignStopped | JournalError | SliceNotFound>) => A,
  slice: number,
  budget: Budget
): Model<World> => {
  const all = run(journal.rows(slice))
  const ids = all.map(({ id }) => id)
  const keys = all.map(({ key }) => key)
  const begins = database.prepare("begin")
  const commits = database.prepare("commit")
  const readRows = database.prepare("select state, epoch from send order by id")
  const readSlice = database.prepare("select epoch, done_at from slice")
  const writeRow = database.prepare("update send set state = ?, epoch = ?, tries = 0 where id = ?")
  const writeSlice = database.prepare("update slice set epoch = ?, done_at = ?")

  /** Brings the journal to where the world is. */
  const restore = ({ epoch, isDone, rows }: World): void => {
    begins.run()
    for (const [index, row] of rows.entries()) {
      writeRow.run(row.state, row.epoch, ids[index] ?? -1)
    }
    writeSlice.run(epoch, isDone ? 0 : null)
    commits.run()
  }

  /** The world as the journal is after a step. */
  const observed = (world: World): World => {
    const states = readRows.all()
    const found = readSlice.get()
    const rows = world.rows.map((row, index) => {
      const state = String(states[index]?.["state"]) as RowState
      const isNewVisit = state === "pending" && row.state !== "pending"
      const unused = isNewVisit ? row.unused + 1 : row.unused
      return { ...row, state, unused, epoch: Number(states[index]?.["epoch"]) }
    })
    return { ...world, rows, epoch: Number(found?.["epoch"]), isDone: found?.["done_at"] !== null }
  }

  const begin = (world: World, who: Who): World => {
    restore(world)
    const { attempt } = run(journal.begin(slice))
    const after = withRunner(world, who, { phase: "running", epoch: attempt.epoch })
    // It asks for all rows, and not for those alone that it may have: the journal has to say no.
    return observed({ ...after, rows: after.rows.map((row) => withPart(row, who, "to claim")) })
  }

  const exchange = (world: World, who: Who, isLost: boolean): World => {
    restore(world)
    const { epoch } = world.runners[who]
    const settle = world.rows.flatMap(({ parts }, index) => {
      const outcome = outcomeOf(parts[who])
      return outcome === undefined ? [] : [{ id: ids[index] ?? -1, outcome }]
    })
    const wanted = world.rows
      .flatMap(({ parts }, index) => (parts[who] === "to claim" ? [index] : []))
      .slice(0, claimsAtOnce)
    const claim = wanted.map((index) => ids[index] ?? -1)
    const claimed = new Set(run(journal.exchange({ slice, epoch }, { settle, claim })))
    const after = observed(world)
    if (isLost) return { ...after, losses: world.losses - 1 }
    const isForgotten = after.rows.some(
      ({ isDecided, parts, state }) =>
        parts[who] === "accepted" && state !== "accepted" && !isDecided
    )
    return {
      ...after,
      rows: after.rows.map((row, index) => {
        if (outcomeOf(row.parts[who]) !== undefined) return withPart(row, who, "none")
        if (!wanted.includes(index)) return row
        return withPart(row, who, claimed.has(ids[index] ?? -1) ? "claimed" : "none")
      }),
      ...(isForgotten ? { wrong: "an acceptance was settled and is not kept" } : {})
    }
  }

  const end = (world: World, who: Who): World => {
    restore(world)
    const { epoch } = world.runners[who]
    run(journal.end({ slice, epoch }))
    return observed(withRunner(world, who, { phase: "over", epoch: 0 }))
  }

  const requestSteps = (world: World, who: Who): ReadonlyArray<Step<World>> =>
    world.rows.flatMap((row, index) =>
      (nextParts[row.parts[who]] ?? []).map((part) => ({
        name: `${who + 1}: row ${index} is ${part}`,
        next: () => {
          const hasLeft = row.parts[who] === "claimed"
          const sent = hasLeft ? { unused: row.unused - 1 } : {}
          const taken = part === "taken" ? { isTaken: true } : {}
          return withRow(world, index, withPart({ ...row, ...sent, ...taken }, who, part))
        }
      }))
    )

  const runnerSteps = (world: World, who: Who): ReadonlyArray<Step<World>> => {
    const step = (what: string, next: () => World) => ({ name: `${who + 1} ${what}`, next })
    const { phase } = world.runners[who]
    if (phase === "over") return []
    if (phase === "waiting") {
      // Which of two that wait begins first is the same.
      return who === 1 && world.runners[others[who]].phase === "waiting"
        ? []
        : [step("begins", () => begin(world, who))]
    }
    const parts = world.rows.map((row) => row.parts[who])
    const isReady = parts.some((part) => part === "to claim" || outcomeOf(part) !== undefined)
    const steps = [...requestSteps(world, who)]
    if (isReady) {
      steps.push(step("exchanges", () => exchange(world, who, false)))
      if (world.losses > 0) {
        steps.push(step("exchanges, and hears nothing", () => exchange(world, who, true)))
      }
    }
    if (parts.every((part) => part === "none")) steps.push(step("ends", () => end(world, who)))
    return steps
  }

  /** "rejected" is as final as "accepted": what follows is the same. */
  const decisions: ReadonlyArray<Decision> = ["accepted", "resend"]

  const personSteps = (world: World): ReadonlyArray<Step<World>> =>
    world.decisions === 0
      ? []
      : world.rows.flatMap((row, index) =>
          row.state !== "unknown"
            ? []
            : decisions.map((decision) => ({
                name: `a person: row ${index} is ${decision}`,
                next: () => {
                  restore(world)
                  run(journal.resolveRow("c", keys[index] ?? "", decision))
                  const after = withRow(world, index, { ...row, isDecided: true })
                  return observed({ ...after, decisions: world.decisions - 1 })
                }
              }))
        )

  return {
    initial: () => ({
      rows: ids.map(() => ({
        state: "pending",
        epoch: 0,
        unused: 1,
        isTaken: false,
        isDecided: false,
        parts: ["none", "none"]
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
      [...runnerSteps(world, 0), ...runnerSteps(world, 1), ...personSteps(world)].map(
        ({ name, next }) => ({ name, next: () => sorted(next()) })
      ),
    problem: problemOf,
    key: ({ decisions: toDecide, epoch, isDone, losses, rows, runners }) =>
      `${toDecide} ${losses} ${epoch} ${isDone} ${runners.map((r) => `${r.phase} ${r.epoch}`).join()} ${rows.map(rowKey).join()}`
  }
}
