/** A number for each text that was seen, in little memory: 32 to 64 bytes for each different text. */
import { hash } from "node:crypto"

/** 96 bits of SHA-256. Of 100 million texts, two share them with a probability of 1 in 10¹³. */
const digestWords = 3

/** A slot has a digest, and a number above 0: how often it was seen, or where first. 0 if the slot is free. */
const slotWords = digestWords + 1

export type Digests = ReturnType<typeof make>

export const make = () => {
  let used = 0
  let table = new Uint32Array(1024 * slotWords)
  const digest = new Uint32Array(digestWords)
  const bytes = Buffer.from(digest.buffer)

  /** Returns where the digest is that begins at `start`, or a free slot for it. */
  const slotOf = (from: Uint32Array, start: number): number => {
    let slot = ((from[start] ?? 0) * slotWords) % table.length
    const isOther = () =>
      table[slot + digestWords] !== 0 &&
      digest.some((_, word) => table[slot + word] !== from[start + word])
    while (isOther()) slot = (slot + slotWords) % table.length
    return slot
  }

  const find = (texts: ReadonlyArray<string>): number => {
    bytes.write(hash("sha256", JSON.stringify(texts), "binary"), "binary")
    return slotOf(digest, 0)
  }

  const grow = (): void => {
    const before = table
    table = new Uint32Array(2 * before.length)
    for (let old = 0; old < before.length; old += slotWords) {
      if (before[old + digestWords] === 0) continue
      table.set(before.subarray(old, old + slotWords), slotOf(before, old))
    }
  }

  /** Gives the text a number made of that which it has, 0 if it is new. Returns the new one. */
  const change = (texts: ReadonlyArray<string>, next: (number: number) => number): number => {
    if (used * 2 * slotWords >= table.length) grow()
    const slot = find(texts)
    const before = table[slot + digestWords] ?? 0
    if (before === 0) {
      used++
      table.set(digest, slot)
    }
    return (table[slot + digestWords] = next(before))
  }

  return {
    /** Counts a text, or several that belong together. Returns how often it was seen, including this time. */
    count: (...texts: ReadonlyArray<string>): number => change(texts, (count) => count + 1),
    /** Returns the line on which a text was first seen: this one, if it is new. */
    firstLine: (line: number, text: string): number => change([text], (first) => first || line),
    /** Returns whether a text was seen. */
    has: (...texts: ReadonlyArray<string>): boolean => table[find(texts) + digestWords] !== 0
  }
}
