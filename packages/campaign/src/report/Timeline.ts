/**
 * A histogram of when rows got their settledStates, in bounded memory: when there are too many buckets, they
 * become wider.
 */
import type { RowState } from "@messaging-topup/journal"

export const settledStates = [
  "sent",
  "rejected",
  "unknown"
] as const satisfies ReadonlyArray<RowState>

export type SettledState = (typeof settledStates)[number]

export type Bucket = Record<SettledState, number>

/** The shown range of the timeline, in buckets of equal width. */
export interface TimeView {
  /** When the first bucket begins, in milliseconds since 1970. */
  readonly from: number
  readonly widthMillis: number
  readonly buckets: ReadonlyArray<Readonly<Bucket>>
  /** How many rows are before or after the shown range. */
  readonly outside: number
  readonly first: number
  readonly last: number
}

export interface Timeline {
  readonly add: (at: number, outcome: SettledState) => void
  /** Returns undefined if there are no rows. */
  readonly view: () => TimeView | undefined
}

/**
 * The widths of buckets. Each width divides the next one, so that wider buckets are sums of narrower
 * ones.
 */
const widths = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1000
)

const widerThan = (width: number): number => widths.find((each) => each > width) ?? width * 2

const maxKept = 20_000
const minShown = 24
const maxShown = 96

/** The share of rows that may be left out at each end, if they are far from the others. */
const edgeShare = 0.005
const isStretched = (whole: number, middle: number): boolean => whole >= middle * 4

const empty = (): Bucket => ({ sent: 0, rejected: 0, unknown: 0 })

const sizeOf = ({ rejected, sent, unknown }: Readonly<Bucket>): number => sent + rejected + unknown

const addTo = (bucket: Bucket, more: Readonly<Bucket>): void => {
  for (const outcome of settledStates) bucket[outcome] += more[outcome]
}

type Indexed = readonly [index: number, bucket: Bucket]

const spanOf = (buckets: ReadonlyArray<Indexed>): number =>
  (buckets.at(-1)?.[0] ?? 0) - (buckets[0]?.[0] ?? 0) + 1

const rowsIn = (buckets: ReadonlyArray<Indexed>): number =>
  buckets.reduce((sum, [, bucket]) => sum + sizeOf(bucket), 0)

/** Leaves out a few rows long before or after the others, such as a person's late decisions. */
const middleOf = (sorted: ReadonlyArray<Indexed>): ReadonlyArray<Indexed> => {
  const allowed = rowsIn(sorted) * edgeShare
  const edge = (buckets: ReadonlyArray<Indexed>): number => {
    let seen = 0
    return buckets.findIndex(([, bucket]) => (seen += sizeOf(bucket)) > allowed)
  }
  let start = edge(sorted)
  let end = sorted.length - edge(sorted.toReversed())
  const near = spanOf(sorted.slice(start, end))
  // Buckets close to the middle are included again.
  const isNear = (index: number): boolean => {
    const [one, other] = sorted.slice(index - 1, index + 1)
    return one !== undefined && other !== undefined && other[0] - one[0] <= near
  }
  while (start > 0 && isNear(start)) start--
  while (end < sorted.length && isNear(end)) end++
  const middle = sorted.slice(start, end)
  return isStretched(spanOf(sorted), spanOf(middle)) ? middle : sorted
}

/**
 * Groups the buckets into at most `maxShown` wider ones. If they are few, adds empty ones on both
 * sides.
 */
const regrouped = (shown: ReadonlyArray<Indexed>, width: number) => {
  const start = (shown[0]?.[0] ?? 0) * width
  const end = (shown.at(-1)?.[0] ?? 0) * width
  let shownWidth = width
  const indexOf = (at: number): number => Math.floor(at / shownWidth)
  while (indexOf(end) - indexOf(start) + 1 > maxShown) shownWidth = widerThan(shownWidth)
  const needed = indexOf(end) - indexOf(start) + 1
  const count = Math.max(needed, minShown)
  const firstIndex = indexOf(start) - Math.floor((count - needed) / 2)
  const buckets = Array.from({ length: count }, empty)
  for (const [index, bucket] of shown) {
    const target = buckets[indexOf(index * width) - firstIndex]
    if (target !== undefined) addTo(target, bucket)
  }
  return { from: firstIndex * shownWidth, widthMillis: shownWidth, buckets }
}

/**
 * `offsetOf` says how much later than UTC the clocks of the readers show. Buckets begin at the full hours
 * and days of these clocks when the first row ended. Over a change of daylight saving time they stay.
 */
export const make = (offsetOf: (at: number) => number): Timeline => {
  let offset: number | undefined
  let [width = 1000] = widths
  let kept = new Map<number, Bucket>()
  let [first, last] = [Infinity, -Infinity]

  const bucketOf = (index: number): Bucket => {
    const found = kept.get(index) ?? empty()
    kept.set(index, found)
    return found
  }

  const widen = (): void => {
    const before = kept
    const previous = width
    width = widerThan(width)
    kept = new Map()
    for (const [index, bucket] of before) {
      addTo(bucketOf(Math.floor((index * previous) / width)), bucket)
    }
  }

  return {
    add: (at, outcome) => {
      first = Math.min(first, at)
      last = Math.max(last, at)
      offset ??= offsetOf(at)
      bucketOf(Math.floor((at + offset) / width))[outcome]++
      while (kept.size > maxKept) widen()
    },
    view: () => {
      if (kept.size === 0) return undefined
      const sorted = Array.from(kept).toSorted(([one], [other]) => one - other)
      const shown = middleOf(sorted)
      const { from, ...view } = regrouped(shown, width)
      const outside = rowsIn(sorted) - rowsIn(shown)
      return { ...view, from: from - (offset ?? 0), outside, first, last }
    }
  }
}
