/**
 * What nobody means as a text, a sender or a time: spreadsheets, databases and programs write it where a value is
 * missing. Lists and tools refuse it. `sendSms` of a program sends it, because a program may mean it.
 */

/** Why a value cannot be meant. */
export type Unmeant =
  | "control-character"
  | "invisible"
  | "markup"
  | "no-value"
  | "object"
  | "placeholder"
  | "spreadsheet-error"
  | "unreadable"

/** Exact spellings, in the languages of spreadsheets: `#1 in town` is a text. */
const errorWords: ReadonlyArray<string> = [
  "#N/A #REF! #VALUE! #NAME? #DIV/0! #NULL! #NUM! #SPILL! #CALC! #FIELD! #BLOCKED! #CONNECT! #UNKNOWN!",
  "#BUSY! #GETTING_DATA #PYTHON! #ERROR! #MACRO?",
  "#NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! #KALK! #FELD! #BLOCKIERT! #VERBINDEN! #UNBEKANNT!",
  "#VALEUR! #NOM? #NOMBRE! #NUL! #PROPAGATION! #CHAMP! #BLOQUE! #CONNEXION! #INCONNU!",
  "#N/D #¡REF! #¡VALOR! #¿NOMBRE? #¡DIV/0! #¡NUM! #¡NULO! #¡DESBORDAMIENTO! #¡CALC! #¡CAMPO!",
  "#VALOR! #NOME? #NÚM! #NULO! #DESPEJAR! #RIF! #VALORE! #NULLO! #ESPANSIONE!",
  "#N/B #VERW! #WAARDE! #NAAM? #DEEL/0! #GETAL! #LEEG! #OVERLOOP!",
  "#SAKNAS! #REFERENS! #VÄRDEFEL! #NAMN? #DIVISION/0! #OGILTIGT! #SKÄRNING! #VERDI! #NAVN?",
  "#ADR! #ARG! #NAZWA? #DZIEL/0! #LICZBA! #ZERO! #N/D! #YOK #BAŞV! #DEĞER! #AD? #SAYI/0! #SAYI! #BOŞ!",
  "#Н/Д #ССЫЛКА! #ЗНАЧ! #ИМЯ? #ДЕЛ/0! #ЧИСЛО! #ПУСТО! #ПЕРЕНОС!"
].flatMap((language) => language.split(" "))

const spreadsheetErrors: ReadonlySet<string> = new Set(errorWords)

/** A column that is too narrow, and the errors of LibreOffice. */
const otherError = /^#{3,}$|^Err:5\d\d$/

/** Programs and databases write these for no value. */
const noValues: ReadonlySet<string> = new Set(["NULL", "\\N", "undefined"])

/** These, too, but a cell that is a part of a text may be somebody's name. */
const noValuesAlone: ReadonlySet<string> = new Set(["null", "None", "nan", "NaN", "NaT", "<NA>"])

/** What a program writes for an object that is no text. */
const object = /\[object [\w.]{1,64}(?: Iterator)?\]/

/** The name of a column, also in scripts whose letters have marks, with blanks in it and around it. */
const name = "[\\t\\p{Zs}]{0,8}[\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}\\p{Zs}_.\\-]{0,63}"

/** What a template would have filled. A text in Chinese or Japanese may have wide braces. */
const placeholder = new RegExp(`[{｛]{2}${name}[}｝]{2}`, "u")

/** As `placeholder`, but somebody may mean a name in single braces. In Python, `{total:.2f}` has a form, too. */
const likePlaceholder = new RegExp(`[{｛]{1,2}${name}(?:[:!=([+][^{}｛｝\\n]{0,63})?[}｝]`, "gu")

/** How other programs write a column. The sign after it may also begin one: `50% off, %name%`. */
const inOtherSigns = new RegExp(
  `[[<«［＜]${name}[\\]>»］＞]|[%#]${name}(?=[%#])|\\$[\\p{L}_][\\p{L}\\p{M}\\p{N}_]*`,
  "gu"
)

/** What models and forms leave for a person to fill in, such as `[Your name]`: a sign in front, as `inOtherSigns` finds it. */
const toFillIn = /^.(?:(?:\p{L}+[ _-]){0,2}name|(?:insert|your)[ _-].*)\P{L}*$/iu

/** Matches a word where no letter or digit continues it. */
const alone = (words: ReadonlyArray<string>): RegExp => {
  const any = words.join("|").replaceAll("?", "\\?")
  return new RegExp(`(?<![\\p{L}\\p{N}_#])(?:${any})(?![\\p{L}\\p{N}_])`, "gu")
}

/** A model began the next argument in this one, or ended it. */
const markup = /<\/?(?:\w{1,32}:)?parameter\b/

const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Phones show none of them but line breaks and tabs. */
const controlCharacter = /[^\P{Cc}\t\n\r]/u

/** What somebody may mean, but seldom: it is asked about, and refused where nobody is asked. */
export interface Doubtful {
  readonly why: "misread" | "no-time" | "no-value" | "placeholder" | "spreadsheet-error"
  /** The word as it stands there. */
  readonly word: string
}

const doubtful: ReadonlyArray<readonly [why: Doubtful["why"], pattern: RegExp]> = [
  ["placeholder", likePlaceholder],
  ["spreadsheet-error", alone(errorWords)],
  ["no-value", alone(["undefined"])]
]

/** The characters of the bytes 0x80 to 0x9f in Windows-1252. Those of its other bytes have their numbers. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

const allInWindows1252 = new RegExp(`^[\\0-\\xff${windows1252}]*$`)

/**
 * What Windows-1252 makes of the letters of Europe, of Vietnamese and Yoruba, of punctuation, and of two letters in a row or
 * an emoji. A real text in capitals may have `IRMÃ…`: there, the letter ends a word, and a sign or a blank follows.
 */
const likeMisread =
  /(?<!\p{Lu})[ÂÃ]|(?<=\p{Ll})[ÄÅ]|[Â-Å](?:[^\u00a0’—](?=\p{L})|[^\u00a0»°©®²³ªº…‘’“”–—™›])|â[€‚]|á(?:[¹º]|»[^…])|[^\0-\x7f]{4}/u

const utf8 = new TextDecoder()

/**
 * Returns the first wrong word of a text that a program read as Windows-1252, though it is UTF-8: `JÃ¼rgen`. Each character
 * beyond ASCII must be part of a letter or sign of UTF-8: in most texts that were read rightly, one is not.
 */
const misreadIn = (text: string): string | undefined => {
  if (!likeMisread.test(text) || !allInWindows1252.test(text)) return undefined
  const bytes = Uint8Array.from(text, (character) => {
    const index = windows1252.indexOf(character)
    return index < 0 ? character.charCodeAt(0) : 0x80 + index
  })
  if (utf8.decode(bytes).includes("\ufffd")) return undefined
  return text.split(/[\t\n\r ]/).find((word) => /[^\0-\x7f]/.test(word))
}

/** A character that nobody sees hides nothing from these checks. */
const asSeen = (text: string): string =>
  text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")

/**
 * Returns what may be meant in a text, a sender or a time, but seldom, such as `{name}`, `#N/A`, `undefined` or `JÃ¼rgen`: each
 * word once. `[shop]` may well be meant, unless there is a list with such a column. The service documents no form of a time,
 * but each has a digit.
 */
export const doubtfulIn = (
  field: "message" | "scheduled_time" | "sender_id",
  value: string,
  isColumn?: (word: string) => boolean
): ReadonlyArray<Doubtful> => {
  const seen = asSeen(value)
  const inSigns = seen.match(inOtherSigns) ?? []
  const unfilled = inSigns.filter((word) => toFillIn.test(word) || isColumn?.(word) === true)
  const others = doubtful.flatMap(([why, pattern]) =>
    [...new Set(seen.match(pattern))].map((word) => ({ why, word }))
  )
  // It may be a soft hyphen, which nobody sees, that says what was misread.
  const misread = misreadIn(value)
  const found = [
    ...unfilled.map((word) => ({ why: "placeholder", word }) as const),
    ...others,
    ...(misread === undefined ? [] : [{ why: "misread", word: misread } as const])
  ]
  const isTime = field !== "scheduled_time" || /^$|\p{N}/u.test(seen)
  return isTime || found.length > 0 ? found : [{ why: "no-time", word: seen }]
}

const unmeantWhole = (seen: string): Unmeant | undefined => {
  const whole = seen.trim()
  if (spreadsheetErrors.has(whole) || otherError.test(whole)) return "spreadsheet-error"
  if (object.test(whole)) return "object"
  // A program writes it for bytes that are no letter in the encoding in which it reads.
  if (whole.includes("\ufffd")) return "unreadable"
  return noValues.has(whole) ? "no-value" : undefined
}

/** Returns why nobody means a cell that becomes a part of a text; undefined if somebody may. */
export const unmeantPart = (cell: string): Unmeant | undefined => unmeantWhole(asSeen(cell))

/** Returns why nobody means a whole text, sender or time; undefined if somebody may. */
export const unmeant = (value: string): Unmeant | undefined => {
  const seen = asSeen(value)
  if (noValuesAlone.has(seen.trim())) return "no-value"
  if (placeholder.test(seen)) return "placeholder"
  if (markup.test(seen)) return "markup"
  if (!visible.test(value)) return "invisible"
  return controlCharacter.test(value) ? "control-character" : unmeantWhole(seen)
}
