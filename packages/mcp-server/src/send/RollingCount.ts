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
  readonly #entries: Array<Counted> = []
  #first = 0
  #total = 0

  constructor(windowMillis: number) {
    this.#windowMillis = windowMillis
  }

  #forget(now: number): void {
    for (let oldest = this.#entries[this.#first]; oldest !== undefined;) {
      if (now - oldest.at < this.#windowMillis) break
      this.remove(oldest)
      oldest = this.#entries[++this.#first]
    }
    if (this.#first > 1_000 && this.#first * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#first)
      this.#first = 0
    }
  }

  add(at: number, amount: number): Counted {
    const counted = { at, amount }
    this.#entries.push(counted)
    this.#total += amount
    return counted
  }

  remove(counted: Counted): void {
    this.#total -= counted.amount
    counted.amount = 0
  }

  /** In how many milliseconds that much has room: 0 for now. More than the limit never has. */
  roomIn(now: number, amount: number, limit: number): number {
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
