/**
 * Measures contenders in turns within one run, so that other work of the machine affects all of them.
 */

import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"

/** In microseconds. */
const Cost = Schema.Struct({
  wall: Schema.Finite,
  /** CPU time of the contender's process, for all its threads together. */
  processor: Schema.Finite
})

export type Cost = typeof Cost.Type

export const decodeCost = Schema.decodeUnknownSync(Cost)

export interface Contender {
  readonly name: string
  /** Makes the calls of one turn, and returns their cost. */
  readonly run: () => Promise<Cost>
}

/** The times of one contender in each round, in microseconds per call. */
export interface Timing {
  readonly name: string
  readonly micros: ReadonlyArray<number>
  readonly processorMicros: ReadonlyArray<number>
}

export interface AlternateOptions {
  /** Rounds that are measured. */
  readonly rounds?: number
  /** The calls of one turn. */
  readonly calls?: number
  /** Rounds that are not measured, until the JIT compiler has finished. */
  readonly warmUpRounds?: number
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
    .reduce((sum, line) => sum + Number.parseInt(line, 10) / 1000, 0)

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
  contenders: ReadonlyArray<Contender>,
  { calls = 1, rounds = 15, warmUpRounds = 5 }: AlternateOptions
): Promise<ReadonlyArray<Timing>> => {
  const timings = contenders.map(({ name, run }) => ({
    name,
    run,
    micros: new Array<number>(),
    processorMicros: new Array<number>()
  }))
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const { micros, processorMicros, run } of shuffled(timings)) {
      const { processor, wall } = await run()
      if (round < 0) continue
      micros.push(wall / calls)
      processorMicros.push(processor / calls)
    }
  }
  return timings
}

export const timingOf = (timings: ReadonlyArray<Timing>, name: string): Timing => {
  const found = timings.find((timing) => timing.name === name)
  if (found === undefined) throw new Error(`There is no contender ${name}`)
  return found
}

/** The median of what `of` makes of each round. So noise that affects a whole round cancels out. */
const medianOf = (
  values: ReadonlyArray<number>,
  others: ReadonlyArray<number>,
  of: (value: number, other: number) => number
): number => median(values.map((value, round) => of(value, others[round] ?? Number.NaN)))

export const ratio = (timing: Timing, reference: Timing): number =>
  medianOf(timing.micros, reference.micros, (value, other) => value / other)

export const processorRatio = (timing: Timing, reference: Timing): number =>
  medianOf(timing.processorMicros, reference.processorMicros, (value, other) => value / other)

/** How many microseconds of CPU time more a call takes. */
export const processorDifference = (timing: Timing, reference: Timing): number =>
  medianOf(timing.processorMicros, reference.processorMicros, (value, other) => value - other)

/** In bytes, as Linux reports it: `VmRSS` is the resident memory now, `VmHWM` the peak. */
export const memoryOf = (field: "VmRSS" | "VmHWM", pid: number | "self" = "self"): number => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(status) ?? []
  return Number(kibibytes) * 1024
}
