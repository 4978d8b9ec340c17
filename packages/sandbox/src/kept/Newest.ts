/** Keeps the newest entries, up to a maximum number. */

export interface PageQuery {
  /** Only entries with a smaller number. */
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

export const defaultLimit = 100

/** Entries are numbered from 1, and no number is used twice. */
export class Newest<A> {
  readonly #entries = new Map<number, A>()
  readonly #maximum: number
  #lastNumber = 0
  #total = 0

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** How many entries are kept, and how many were added since the last `clear`. */
  get counts() {
    return { kept: this.#entries.size, total: this.#total }
  }

  get nextNumber(): number {
    return this.#lastNumber + 1
  }

  add(entry: A): void {
    this.#lastNumber++
    this.#total++
    this.#entries.set(this.#lastNumber, entry)
    const [oldest = 0] = this.#entries.keys()
    if (this.#entries.size > this.#maximum) this.#entries.delete(oldest)
  }

  get(number: number): A | undefined {
    return this.#entries.get(number)
  }

  /** Replaces an entry, if it is still kept. */
  replace(number: number, entry: A): void {
    if (!this.#entries.has(number)) return
    this.#entries.set(number, entry)
  }

  /** Newest first, in a new array: whoever gets it may change it. */
  all(): ReadonlyArray<A> {
    return [...this.#entries.values()].toReversed()
  }

  /** Newest first. `next` has the `before` of the next page, if there is one. */
  page({ before = Infinity, limit = defaultLimit }: PageQuery, matches: (entry: A) => boolean) {
    const found = [...this.#entries]
      .toReversed()
      .filter(([number, entry]) => number < before && matches(entry))
    const shown = found.slice(0, limit)
    const last = shown.at(-1)?.[0]
    return {
      entries: shown.map(([, entry]) => entry),
      next: last === undefined || found.length === shown.length ? {} : { next: String(last) }
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#total = 0
  }
}
