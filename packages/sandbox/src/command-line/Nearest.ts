/**
 * Finds the name that a misspelled name probably means.
 */

/** Returns the Levenshtein distance: how many characters to insert, delete or replace. */
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

/** A longer text is not a name. */
const maxLength = 64

/** The maximum distance at which a name still matches. */
const tolerance = (name: string): number => Math.min(2, Math.floor(name.length / 3))

const digitsOf = (text: string): string => text.replace(/\D/g, "")

/** Returns `undefined` if no name is similar. Names that differ in a digit do not match. */
export const nearest = (given: string, names: ReadonlyArray<string>): string | undefined => {
  if (given.length > maxLength) return undefined
  const [best] = names
    .filter(
      (name) => Math.abs(name.length - given.length) <= 2 && digitsOf(name) === digitsOf(given)
    )
    .map((name) => ({ name, off: distance(given, name) }))
    .filter(({ name, off }) => off <= tolerance(name))
    .toSorted((one, other) => one.off - other.off)
  return best?.name
}
