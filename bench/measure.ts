/**
 * Measures contenders in turns within one run, so that other work of the machine affects all of them.
 */

/** In microseconds. */
export interface Cost {
  readonly wall: number
  /** CPU time of the contender's process, for all its threads together. */
  readonly processor: number
}

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

const rounds = 15

export interface AlternateOptions {
  /** The calls of one turn. */
  readonly calls?: number
  /** Turns of each contender in a round. With shorter turns, noise affects all contenders more equally. */
  readonly turns?: number
  /** Rounds that are not measured, until the JIT compiler has finished. */
  readonly warmUpRounds?: number
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Measures the cost of `run` in this process. */
export const timed = async (run: () => Promise<unknown>): Promise<Cost> => {
  const before = process.cpuUsage()
  const start = performance.now()
  await run()
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { wall, processor: system + user }
}

/** Random order, because each contender pays for the garbage that the previous one left. */
const shuffled = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((each) => ({ each, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each)

const none: Cost = { wall: 0, processor: 0 }

const sum = (a: Cost, b: Cost): Cost => ({
  wall: a.wall + b.wall,
  processor: a.processor + b.processor
})

/** Returns the total cost of each contender in a round. */
const playRound = async (
  contenders: ReadonlyArray<Contender>,
  turns: number
): Promise<ReadonlyMap<Contender, Cost>> => {
  const costs = new Map<Contender, Cost>()
  for (let turn = 0; turn < turns; turn++) {
    for (const contender of shuffled(contenders)) {
      costs.set(contender, sum(costs.get(contender) ?? none, await contender.run()))
    }
  }
  return costs
}

export const alternate = async (
  contenders: ReadonlyArray<Contender>,
  { calls = 1, turns = 1, warmUpRounds = 5 }: AlternateOptions
): Promise<ReadonlyArray<Timing>> => {
  for (let round = 0; round < warmUpRounds; round++) await playRound(contenders, turns)
  const played = new Array<ReadonlyMap<Contender, Cost>>()
  for (let round = 0; round < rounds; round++) played.push(await playRound(contenders, turns))
  return contenders.map((contender) => {
    const costs = played.map((round) => round.get(contender) ?? none)
    return {
      name: contender.name,
      micros: costs.map(({ wall }) => wall / (turns * calls)),
      processorMicros: costs.map(({ processor }) => processor / (turns * calls))
    }
  })
}

export const timingOf = (timings: ReadonlyArray<Timing>, name: string): Timing => {
  const found = timings.find((timing) => timing.name === name)
  if (found === undefined) throw new Error(`There is no contender ${name}`)
  return found
}

const ratioOf = (values: ReadonlyArray<number>, references: ReadonlyArray<number>): number =>
  median(values.map((value, round) => value / (references[round] ?? Number.NaN)))

/** The median of the ratios of each round. So noise that affects a whole round cancels out. */
export const ratio = (timing: Timing, reference: Timing): number =>
  ratioOf(timing.micros, reference.micros)

export const processorRatio = (timing: Timing, reference: Timing): number =>
  ratioOf(timing.processorMicros, reference.processorMicros)
