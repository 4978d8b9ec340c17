/**
 * Contenders that alternate within one run, so that what else the machine does hits all of them.
 */

export interface Contender {
  readonly name: string
  /** Makes the calls of one turn. */
  readonly run: () => Promise<unknown>
}

/** What one contender took in each round, in microseconds a call. */
export interface Timing {
  readonly name: string
  readonly micros: ReadonlyArray<number>
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

const time = async ({ run }: Contender): Promise<number> => {
  const start = performance.now()
  await run()
  return (performance.now() - start) * 1000
}

/** Nobody always follows the same contender: what one leaves to collect, the next one pays for. */
const shuffled = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((each) => ({ each, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ each }) => each)

/** What each contender took for all its turns of a round. */
const playRound = async (
  contenders: ReadonlyArray<Contender>,
  turns: number
): Promise<ReadonlyMap<Contender, number>> => {
  const micros = new Map<Contender, number>()
  for (let turn = 0; turn < turns; turn++) {
    for (const contender of shuffled(contenders)) {
      micros.set(contender, (micros.get(contender) ?? 0) + (await time(contender)))
    }
  }
  return micros
}

export const alternate = async (
  contenders: ReadonlyArray<Contender>,
  { calls = 1, turns = 1, warmUpRounds = 5 }: Play
): Promise<ReadonlyArray<Timing>> => {
  for (let round = 0; round < warmUpRounds; round++) await playRound(contenders, turns)
  const played = new Array<ReadonlyMap<Contender, number>>()
  for (let round = 0; round < rounds; round++) played.push(await playRound(contenders, turns))
  return contenders.map((contender) => ({
    name: contender.name,
    micros: played.map((round) => (round.get(contender) ?? Number.NaN) / (turns * calls))
  }))
}

export const timingOf = (timings: ReadonlyArray<Timing>, name: string): Timing => {
  const found = timings.find((timing) => timing.name === name)
  if (found === undefined) throw new Error(`There is no contender ${name}`)
  return found
}

/** The median of the ratios of each round: noise that hits a whole round cancels out. */
export const ratio = (timing: Timing, reference: Timing): number =>
  median(timing.micros.map((micros, round) => micros / (reference.micros[round] ?? Number.NaN)))
