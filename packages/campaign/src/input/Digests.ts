/**
 * Counts how often each digest was seen, in little memory: 20 to 60 bytes for each different digest.
 */
import { hash } from "node:crypto"

const wordsOf = (digest: Buffer): readonly [number, number, number, number] => [
  digest.readUInt32LE(0),
  digest.readUInt32LE(4),
  digest.readUInt32LE(8),
  digest.readUInt32LE(12)
]

/** 128 bits of SHA-256. That two different texts share them is too unlikely to happen. */
export const digestOf = (...texts: ReadonlyArray<string | undefined>): Buffer =>
  hash("sha256", JSON.stringify(texts.map((text) => text ?? null)), "buffer").subarray(0, 16)

export interface Digests {
  /** Counts a digest. Returns how often it was seen, including this time. */
  readonly count: (digest: Buffer) => number
  /** Returns whether a digest was seen. */
  readonly has: (digest: Buffer) => boolean
}

export const make = (): Digests => {
  let capacity = 1024
  let used = 0
  let words = new Uint32Array(capacity * 4)
  let counts = new Uint32Array(capacity)

  /** Returns the slot of the digest, or a free slot for it. */
  const slotOf = (digest: readonly [number, number, number, number]): number => {
    let slot = digest[0] & (capacity - 1)
    while (counts[slot] !== 0 && digest.some((word, index) => words[slot * 4 + index] !== word)) {
      slot = (slot + 1) & (capacity - 1)
    }
    return slot
  }

  const grow = () => {
    const [oldWords, oldCounts] = [words, counts]
    capacity *= 2
    words = new Uint32Array(capacity * 4)
    counts = new Uint32Array(capacity)
    for (const [old, count] of oldCounts.entries()) {
      if (count === 0) continue
      const [a = 0, b = 0, c = 0, d = 0] = oldWords.subarray(old * 4, old * 4 + 4)
      const slot = slotOf([a, b, c, d])
      words.set([a, b, c, d], slot * 4)
      counts[slot] = count
    }
  }

  return {
    count: (digest) => {
      const wanted = wordsOf(digest)
      if (used * 2 >= capacity) grow()
      const slot = slotOf(wanted)
      if (counts[slot] === 0) {
        used++
        words.set(wanted, slot * 4)
      }
      counts[slot] = (counts[slot] ?? 0) + 1
      return counts[slot]
    },
    has: (digest) => counts[slotOf(wordsOf(digest))] !== 0
  }
}
