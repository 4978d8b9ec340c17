/**
 * Counts texts such as reasons and statuses, in bounded memory: each row may have a different text.
 */

const maxTexts = 1_000
const maxLength = 200

interface TallyEntry {
  /** Undefined for rows without a text. */
  readonly text: string | undefined
  readonly count: number
}

export interface Tally {
  readonly add: (text: string | undefined) => void
  /** Returns the counted texts, the most frequent first. Each count is exact. */
  readonly entries: () => ReadonlyArray<TallyEntry>
  /** Returns how many rows have a text that no entry has. */
  readonly others: () => number
}

export const shortened = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`

export const make = (): Tally => {
  const counts = new Map<string | undefined, number>()
  let others = 0
  return {
    add: (text) => {
      const key = text === undefined ? undefined : shortened(text)
      const count = counts.get(key)
      // A text is counted from its first row on, or not at all. So each count is exact.
      if (count === undefined && counts.size === maxTexts) others++
      else counts.set(key, (count ?? 0) + 1)
    },
    entries: () =>
      Array.from(counts, ([text, count]) => ({ text, count })).toSorted(
        (one, other) => other.count - one.count
      ),
    others: () => others
  }
}
