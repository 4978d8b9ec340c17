/**
 * How a question shows the texts of its SMS. What is approved is what is read, so texts are whole as far as possible,
 * and words that all share stand once. A cut says what it hides. No cut stands beside a number: the part of "14 000 dollars"
 * that is left would be another amount.
 */
import { plural } from "../Sentences.ts"
import { visible } from "../Visible.ts"

const emoji = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]"

/** The scripts in which a joiner changes how letters look. Between others, it joins nothing, and hides a difference. */
const scripts =
  "Arab Syrc Mand Nkoo Mong Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Java Bali"

const letter = `[[${scripts.replace(/\w+/g, String.raw`\p{sc=$&}`).replaceAll(" ", "")}]&&[\\p{L}\\p{M}]]`

/** Signs such as \u00a9 can be pictures, and are joined to none. */
const joined = `[${emoji}--[\\u00a9\\u00ae\\u2122\\u2139]]`

/** One joiner, the sign that makes a picture of an emoji, and that of a digit on a key. */
const joining = new RegExp(
  `(${[
    `(?<=${joined})[\\ufe0e\\ufe0f]?\\u200d(?=${joined})`,
    `(?<=${emoji})[\\ufe0e\\ufe0f](?![\\u200c\\u200d\\ufe0e\\ufe0f])`,
    `(?<=${letter})[\\u200c\\u200d](?=${letter})`,
    "(?<=[\\d#*])\\ufe0f(?=\\u20e3)"
  ].join("|")})`,
  "v"
)

/** Line breaks are escaped like quotes, so that the end of the text is clear. A card shows them as they are. */
const escapedLines = new Set(["\n"])

/**
 * A text as a card shows it, without quotes. Invisible characters are made visible: with them, it could look different from
 * what is sent.
 */
export const shown = (text: string): string =>
  text
    .split(joining)
    .map((part, at) => (at % 2 === 0 ? visible(part, escapedLines) : part))
    .join("")

const inQuotes = (text: string): string => JSON.stringify(shown(text))

/** A text and who gets it. */
export interface AddressedText {
  readonly text: string
  readonly to: ReadonlyArray<string>
}

/** So many characters of all texts are shown whole, in UTF-16 code units: more than the 10 segments of one SMS. */
const maxTexts = 2_000

/** Two segments. Texts of so many characters are whole, however many there are. */
const twoSegments = 306

/** The words about a cut take as much room as so many characters. */
const leastHidden = 60

/** The words about what all texts share take as much room as so many characters. */
const leastShared = 20

/** The words of a text, each with the blanks after it. */
type Words = ReadonlyArray<string>

const wordsOf = (text: string): Words => text.split(/(?<=\s)(?=\S)/u)

const hasNumber = (word: string | undefined): boolean => word !== undefined && /\p{N}/u.test(word)

/** Whether a text may be cut before this word. */
const isPlace = (words: Words, at: number): boolean =>
  !hasNumber(words[at - 1]) && !hasNumber(words[at])

const number = /\p{N}+(?:[.,:'’]\p{N}+)*/gu

const hiddenOf = (hidden: string): string => {
  const numbers = hidden.match(number)?.length ?? 0
  const which = numbers === 0 ? "without a number" : `with ${plural(numbers, "number")}`
  return `(here ${Array.from(hidden).length} characters ${which} are not shown)`
}

/** The places at which a text may be cut, and how many characters before each are in words that not all texts have. */
const placesOf = (words: Words, isCommon: (word: string) => boolean) => {
  let at = 0
  let own = 0
  return words.flatMap((word, index) => {
    const place = index > 0 && isPlace(words, index) ? [{ at, own }] : []
    at += word.length
    own += isCommon(word) ? 0 : word.length
    return place
  })
}

/**
 * Puts a text in quotes. Of one that is too long, the part is hidden that has the fewest characters in words that not
 * all texts have. Of several such parts, it is that after two thirds of what is shown: at the end stand links.
 */
const textOf = (words: Words, maxLength: number, isCommon: (word: string) => boolean): string => {
  const text = words.join("")
  if (text.length <= maxLength) return inQuotes(text)
  const least = Math.max(leastHidden, text.length - maxLength)
  const places = placesOf(words, isCommon)
  let ends = 0
  let hidden = { from: 0, to: 0, own: Infinity, distance: Infinity }
  for (const from of places) {
    while ((places[ends]?.at ?? Infinity) < from.at + least) ends += 1
    const to = places[ends]
    if (to === undefined) break
    const own = to.own - from.own
    const distance = Math.abs(from.at - (maxLength * 2) / 3)
    if (own < hidden.own || (own === hidden.own && distance < hidden.distance)) {
      hidden = { from: from.at, to: to.at, own, distance }
    }
  }
  const { from, to } = hidden
  return to === 0
    ? inQuotes(text)
    : `${inQuotes(text.slice(0, from))} ${hiddenOf(text.slice(from, to))} ${inQuotes(text.slice(to))}`
}

const isCommonToAll = (): boolean => true

/** Which words all of these texts have. */
const commonIn = (texts: ReadonlyArray<Words>): ((word: string) => boolean) => {
  const counts = new Map<string, number>()
  for (const words of texts) {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return (word) => counts.get(word) === texts.length
}

/** The words with which all texts begin. Each text has at least one more. */
const sharedOf = (texts: ReadonlyArray<Words>): Words => {
  const [first = []] = texts
  const most = Math.min(...texts.map(({ length }) => length)) - 1
  let count = 0
  while (count < most && texts.every((words) => words[count] === first[count])) count += 1
  while (count > 0 && !texts.every((words) => isPlace(words, count))) count -= 1
  const shared = first.slice(0, count)
  return shared.join("").length < leastShared ? [] : shared
}

const reversed = (words: Words): Words => words.toReversed()

const severalTexts = (texts: ReadonlyArray<AddressedText>): string => {
  const words = texts.map(({ text }) => wordsOf(text))
  const isLong = texts.reduce((sum, { text }) => sum + text.length, 0) > maxTexts
  const begins = isLong ? sharedOf(words) : []
  const rests = words.map((each) => each.slice(begins.length))
  const ends = isLong ? reversed(sharedOf(rests.map(reversed))) : []
  const middles = rests.map((each) => each.slice(0, each.length - ends.length))
  const isCommon = commonIn(middles)
  const length = Math.max(twoSegments, Math.floor(maxTexts / texts.length))
  const shared = (how: string, all: Words) =>
    all.length === 0 ? [] : [`each ${how} ${textOf(all, maxTexts, isCommonToAll)}`]
  return [
    ...shared("begins", begins),
    ...shared("ends", ends),
    ...texts.map(({ to }, at) => {
      const middle = textOf(middles[at] ?? [], isLong ? length : Infinity, isCommon)
      const [before, after] = [begins, ends].map((all) => (all.length === 0 ? "" : "…"))
      return `to ${to.join(", ")}: ${before}${middle}${after}`
    })
  ].join("; ")
}

/** One text, as a question shows it. */
export const shownText = (text: string): string => textOf(wordsOf(text), maxTexts, isCommonToAll)

/** All texts of a question, each with those who get it. */
export const shownTexts = (texts: ReadonlyArray<AddressedText>): string => {
  const [only, ...others] = texts
  return only === undefined || others.length > 0
    ? severalTexts(texts)
    : `${shownText(only.text)} To ${only.to.join(", ")}`
}
