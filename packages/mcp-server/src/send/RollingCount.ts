/**
 * How much went out within the last hour or day.
 */

/** One entry of a count, to take it back. */
export interface Counted {
  readonly at: number
  amount: number
}

/** Each operation looks only at what it forgets, or at what a refusal waits for. */
export class RollingCount {
  readonly #windowMillis: number
  #entries: Array<Counted> = []
  #first = 0
  #total = 0
  #removed = 0

  constructor(windowMillis: number) {
    this.#windowMillis = windowMillis
  }

  /** Takes the room of what is over or was taken back, once that is most of it. */
  #compact(): void {
    if (this.#first + this.#removed <= Math.max(1_000, this.#entries.length / 2)) return
    this.#entries = this.#entries.slice(this.#first).filter(({ amount }) => amount > 0)
    this.#first = 0
    this.#removed = 0
  }

  #forget(now: number): void {
    for (let oldest = this.#entries[this.#first]; oldest !== undefined;) {
      if (now - oldest.at < this.#windowMillis) break
      this.#total -= oldest.amount
      oldest.amount = 0
      oldest = this.#entries[++this.#first]
    }
    this.#compact()
  }

  add(at: number, amount: number): Counted {
    const counted = { at, amount }
    this.#entries.push(counted)
    this.#total += amount
    return counted
  }

  remove(counted: Counted): void {
    if (counted.amount === 0) return
    this.#total -= counted.amount
    counted.amount = 0
    this.#removed++
    this.#compact()
  }

  /** In how many milliseconds that much is within the limit: 0 for now, infinite where it alone is above the limit. */
  roomIn(now: number, amount: number, limit: number): number {
    if (amount > limit) return Infinity
    this.#forget(now)
    let total = this.#total
    if (total + amount <= limit) return 0
    for (let index = this.#first; index < this.#entries.length; index++) {
      const entry = this.#entries[index]
      if (entry === undefined) break
      total -= entry.amount
      if (total + amount <= limit) return Math.max(1, entry.at + this.#windowMillis - now)
    }
    return this.#windowMillis
  }
}
