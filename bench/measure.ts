/**
 * Contenders that alternate within one run, so that what else the machine does hits all of them.
 */

/** In microseconds. */
export interface Cost {
  readonly wall: number
  /** Of the contender's process, all its threads together. */
  readonly processor: number
}

export interface Contender {
  readonly name: string
  /** Makes the calls of one turn, and says what they took. */
  readonly run: () => Promise<Cost>
}

/** What one contender took in each round, in microseconds a call. */
export interface Timing {
  readonly name: string
  readonly micros: ReadonlyArray<number>
  readonly processorMicros: ReadonlyArray<number>
}

const rounds = 15

export interface Play {
  /** The calls of one turn. */
  readonly calls?: number
  /** Turns of each contender in a round: the shorter a turn, the more noise is shared. */
  readonly turns?: number
  /** Rounds before the figures count, for the compiler to be done. */
  readonly warmUpRounds?: number
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** What it takes in this process. */
export const timed = async (run: () => Promise<unknown>): Promise<Cost> => {
  const before = process.cpuUsage()
  const start = performance.now()
  await run()
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { wall, processor: system + user }
}

/** Nobody always follows the same contender: what one leaves to collect, the next one pays for. */
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

/** What each contender took for all its turns of a round. */
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
  { calls = 1, turns = 1, warmUpRounds = 5 }: Play
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

/** The median of the ratios of each round: noise that hits a whole round cancels out. */
export const ratio = (timing: Timing, reference: Timing): number =>
  ratioOf(timing.micros, reference.micros)

export const processorRatio = (timing: Timing, reference: Timing): number =>
  ratioOf(timing.processorMicros, reference.processorMicros)
