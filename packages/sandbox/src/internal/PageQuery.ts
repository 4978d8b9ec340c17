/**
 * Which page of a list.
 */
import type { Kept } from "./Kept.ts"

export interface PageQuery {
  readonly before?: number
  readonly limit?: number
}

const defaultCount = 100

/** What a page holds at most, so that no list becomes too large for one response. */
const pageBytes = 8 * 1024 * 1024

export const pageOf = <A>(
  kept: Kept<A>,
  { before = Infinity, limit = defaultCount }: PageQuery,
  matches: (entry: A) => boolean
) => {
  const { entries, next } = kept.page({ before, count: limit, bytes: pageBytes, matches })
  return { entries, next: next === undefined ? {} : { next: String(next) } }
}
