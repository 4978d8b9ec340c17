/**
 * What somebody meant who misspelled a name.
 */

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

/** A longer text is no name. */
const longest = 64

/** How many keys off is still the same word. */
const tolerance = (name: string): number => Math.min(2, Math.floor(name.length / 3))

const digitsOf = (text: string): string => text.replace(/\D/g, "")

/** `undefined` where none of the names is near. Another number is another name. */
export const nearest = (given: string, names: ReadonlyArray<string>): string | undefined => {
  if (given.length > longest) return undefined
  const [best] = names
    .filter(
      (name) => Math.abs(name.length - given.length) <= 2 && digitsOf(name) === digitsOf(given)
    )
    .map((name) => ({ name, off: distance(given, name) }))
    .filter(({ name, off }) => off <= tolerance(name))
    .toSorted((one, other) => one.off - other.off)
  return best?.name
}
