/**
 * Measures contenders in turns within one run, so that other work of the machine affects all of them.
 */
import { readdirSync, readFileSync } from "node:fs"

/** Whether the run only shows that everything works. Its figures say nothing. */
const isShort = process.argv.includes("--short")

/** How much of something the run does: a twentieth of it if it is short. */
export const shareOf = (count: number): number => (isShort ? Math.ceil(count / 20) : count)

/** In microseconds. */
export interface Cost {
  readonly wall: number
  /** CPU time of the contender's process, for all its threads together. */
  readonly processor: number
}

interface Turns {
  readonly name: string
  /** Does the work of one turn, and returns its cost. */
  readonly run: () => Promise<Cost>
}

/** The costs of each contender, by its name: one for each round. */
export type Costs = ReadonlyMap<string, ReadonlyArray<Cost>>

interface AlternateOptions {
  /** Rounds that are measured. */
  readonly rounds?: number
  /** Rounds that are not measured, until the JIT compiler has finished. */
  readonly warmUpRounds?: number
  /** Those of earlier rounds, with the same contenders, to which it adds. */
  readonly costs?: Map<string, ReadonlyArray<Cost>>
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const processorHere = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** CPU time of a process until now, in microseconds. Linux counts it per thread, in nanoseconds. */
export const processorOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"))
    .reduce((sum, counted) => sum + Number.parseInt(counted, 10) / 1000, 0)

/** In MiB, as Linux reports it: `VmRSS` is the resident memory now, `VmHWM` the peak. */
export const memoryOf = (field: "VmRSS" | "VmHWM", pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(status) ?? []
  return Number(kibibytes) / 1024
}

/** Measures the cost of `run` in this process, or in the one whose CPU time is given. */
export const timed = async (
  run: () => Promise<unknown>,
  processor = processorHere
): Promise<Cost> => {
  const before = processor()
  const start = performance.now()
  await run()
  const wall = (performance.now() - start) * 1000
  return { wall, processor: processor() - before }
}

/** Random order, because each contender pays for the garbage that the previous one left. */
const shuffled = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((each) => ({ each, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each)

export const alternate = async (
  contenders: ReadonlyArray<Turns>,
  { costs = new Map(), rounds = 15, warmUpRounds = 5 }: AlternateOptions = {}
): Promise<Costs> => {
  for (let round = -shareOf(warmUpRounds); round < shareOf(rounds); round++) {
    for (const { name, run } of shuffled(contenders)) {
      const cost = await run()
      if (round >= 0) costs.set(name, [...(costs.get(name) ?? []), cost])
    }
  }
  return costs
}

/** The median of what `of` makes of each round. So noise that affects a whole round cancels out. */
const medianOf = (
  costs: Costs,
  [name, reference]: readonly [name: string, reference: string],
  of: (cost: Cost, other: Cost) => number
): number => {
  const others = costs.get(reference) ?? []
  return median(
    (costs.get(name) ?? []).map((cost, round) => {
      const other = others[round]
      return other === undefined ? Number.NaN : of(cost, other)
    })
  )
}

/** How many times as long as the reference a contender takes. */
export const ratio = (costs: Costs, name: string, reference: string, of: keyof Cost): number =>
  medianOf(costs, [name, reference], (cost, other) => cost[of] / other[of])

/** How many microseconds of CPU time more than the reference a contender takes. */
export const processorDifference = (costs: Costs, name: string, reference: string): number =>
  medianOf(costs, [name, reference], (cost, other) => cost.processor - other.processor)
