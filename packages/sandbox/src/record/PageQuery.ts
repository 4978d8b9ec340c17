/**
 * Selects a page of a list.
 */
import type { RecentEntries } from "./RecentEntries.ts"

export interface PageQuery {
  readonly before?: number
  readonly limit?: number
}

const defaultCount = 100

/** The maximum size of a page, so that it is not too large for one response. */
const pageBytes = 8 * 1024 * 1024

export const pageOf = <A>(
  kept: RecentEntries<A>,
  { before = Infinity, limit = defaultCount }: PageQuery,
  matches: (entry: A) => boolean
) => {
  const { entries, next } = kept.page({ before, count: limit, bytes: pageBytes, matches })
  return { entries, next: next === undefined ? {} : { next: String(next) } }
}
