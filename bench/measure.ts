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

/** The cost of each contender in one round, by its name. */
export type Round = ReadonlyMap<string, Cost>

/** How many rounds are measured. Those before them are not, until the JIT compiler has finished. */
interface Rounds {
  readonly rounds: number
  readonly warmUpRounds: number
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

/**
 * In MiB, of what Linux reports in `/proc/<pid>/status`: `VmRSS` is the resident memory now, `VmHWM` the peak.
 */
export const memoryIn = (status: string, field: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024

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
  { rounds, warmUpRounds }: Rounds
): Promise<ReadonlyArray<Round>> => {
  const measured = new Array<Round>()
  for (let round = -shareOf(warmUpRounds); round < shareOf(rounds); round++) {
    const costs = new Map<string, Cost>()
    for (const { name, run } of shuffled(contenders)) costs.set(name, await run())
    if (round >= 0) measured.push(costs)
  }
  return measured
}

/** What a contender cost in a round. */
export const costIn = (round: Round, name: string): Cost => {
  const cost = round.get(name)
  if (cost === undefined) throw new Error(`The round was without ${name}`)
  return cost
}

/** The median of what `of` makes of each round. So noise that affects a whole round cancels out. */
export const compare = (
  rounds: ReadonlyArray<Round>,
  [name, reference]: readonly [name: string, reference: string],
  of: (cost: Cost, other: Cost) => number
): number => median(rounds.map((round) => of(costIn(round, name), costIn(round, reference))))
