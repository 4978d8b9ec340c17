/**
 * Any text, also with half surrogate pairs. fast-check's own unit "binary" has none of them, and takes
 * a second of every process to prepare.
 */
import fc from "fast-check"

const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0x10000, max: 0x10ffff })
  )
  .map((code) => String.fromCodePoint(code))

export const anyText = (lengths: fc.ArrayConstraints = {}): fc.Arbitrary<string> =>
  fc.array(character, lengths).map((characters) => characters.join(""))
