/**
 * How often each word comes, in bounded memory: the words come from elsewhere, and a row may have one of
 * its own.
 */

const maxWords = 1_000
const maxLength = 200

interface TallyEntry {
  /** Undefined where nothing was said. */
  readonly word: string | undefined
  readonly count: number
}

export interface Tally {
  readonly add: (word: string | undefined) => void
  /** The most frequent first. Each count is exact. */
  readonly entries: () => ReadonlyArray<TallyEntry>
  /** How many had a word that no entry has. */
  readonly others: () => number
}

/** A long text, shortened. */
export const shortened = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`

export const make = (): Tally => {
  const counts = new Map<string | undefined, number>()
  let others = 0
  return {
    add: (word) => {
      const key = word === undefined ? undefined : shortened(word)
      const count = counts.get(key)
      // A word is counted from its first row on, or never.
      if (count === undefined && counts.size === maxWords) others++
      else counts.set(key, (count ?? 0) + 1)
    },
    entries: () =>
      Array.from(counts, ([word, count]) => ({ word, count })).toSorted(
        (one, other) => other.count - one.count
      ),
    others: () => others
  }
}
