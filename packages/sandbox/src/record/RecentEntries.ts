/**
 * Keeps the newest entries, up to a maximum number and a maximum total size.
 */

export interface Limits {
  readonly count: number
  /** The maximum for all entries together. The newest entry is always kept. */
  readonly bytes: number
}

export interface PageQuery {
  readonly before?: number
  readonly limit?: number
}

const defaultCount = 100

/** The maximum size of a page, so that it is not too large for one response. */
const pageBytes = 8 * 1024 * 1024

/** Entries are numbered from 1. No number is used twice, and the kept numbers have no gap. */
export class RecentEntries<A> {
  readonly #entries = new Map<number, { readonly entry: A; bytes: number }>()
  readonly #limits: Limits
  /** The first number since the last `clear`. */
  #start = 1
  #first = 1
  #next = 1
  #bytes = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  /** How many entries were added since the last `clear`. */
  get total(): number {
    return this.#next - this.#start
  }

  /** The number of the next entry. */
  get nextNumber(): number {
    return this.#next
  }

  /** Whether this entry was added after the last `clear`. */
  isCounted(number: number): boolean {
    return number >= this.#start
  }

  add(entry: A, bytes: number): number {
    const number = this.#next++
    this.#entries.set(number, { entry, bytes })
    this.#bytes += bytes
    this.#removeOldest()
    return number
  }

  /** Adds to the size of an entry. */
  grow(number: number, bytes: number): void {
    const kept = this.#entries.get(number)
    if (kept === undefined) return
    kept.bytes += bytes
    this.#bytes += bytes
    this.#removeOldest()
  }

  get(number: number): A | undefined {
    return this.#entries.get(number)?.entry
  }

  /** Oldest first. */
  all(): Array<A> {
    return Array.from(this.#entries.values(), ({ entry }) => entry)
  }

  /** Newest first. `next` has the `before` of the next page, if there is one. */
  page({ before = Infinity, limit = defaultCount }: PageQuery, matches: (entry: A) => boolean) {
    const entries: Array<A> = []
    let taken = 0
    for (let number = Math.min(before, this.#next) - 1; number >= this.#first; number--) {
      const kept = this.#entries.get(number)
      if (kept === undefined || !matches(kept.entry)) continue
      if (entries.length === limit || (taken > 0 && taken + kept.bytes > pageBytes)) {
        return { entries, next: { next: String(number + 1) } }
      }
      entries.push(kept.entry)
      taken += kept.bytes
    }
    return { entries, next: {} }
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
    this.#start = this.#first = this.#next
  }

  #removeOldest(): void {
    const { bytes, count } = this.#limits
    while (this.size > 1 && (this.size > count || this.#bytes > bytes)) {
      this.#bytes -= this.#entries.get(this.#first)?.bytes ?? 0
      this.#entries.delete(this.#first)
      this.#first++
    }
  }
}
