/**
 * What somebody meant who mistyped a name.
 */

/** More than two keys off is another word. */
const maxDistance = 2

/** How many characters to put, take out or change: Levenshtein's distance, row by row. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1]
    for (const [column, each] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (each === character ? 0 : 1)
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Empty where none of the names is near. */
export const didYouMean = (given: string, names: ReadonlyArray<string>): string => {
  const [nearest] = names
    .map((name) => ({ name, off: distance(given, name) }))
    .filter(({ off }) => off <= maxDistance)
    .toSorted((one, other) => one.off - other.off)
  return nearest === undefined ? "" : `; did you mean ${nearest.name}?`
}
