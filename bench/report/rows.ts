/**
 * Makes the rows of a section from what a benchmark measured.
 */
import type { Row, Target } from "./results.ts"

type Asked = Omit<Target, "isMet">

export const atMost = (of: string, limit: number): Asked => ({ of, is: "at most", limit })

export const atLeast = (of: string, limit: number): Asked => ({ of, is: "at least", limit })

export const reaches = ({ is, limit }: Asked, value: number): boolean =>
  is === "at most" ? value <= limit : value >= limit

/** Four digits are significant. The verdict uses the rounded figure. */
const rounded = (value: number): number => Number(value.toPrecision(4))

export const row = (
  labels: Row["labels"],
  values: Row["values"],
  ...asked: ReadonlyArray<Asked>
): Row => {
  const kept = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Number.isInteger(value) ? value : rounded(value)
    ])
  )
  const missing = Object.entries(kept).find(([, value]) => !Number.isFinite(value))
  if (missing !== undefined) throw new Error(`There is no figure of ${missing[0]}`)
  const targets = asked.map((target) => ({
    ...target,
    isMet: reaches(target, kept[target.of] ?? Number.NaN)
  }))
  return { labels, values: kept, targets }
}
