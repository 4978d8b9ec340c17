/** Lines of `messaging-topup` for people who copy them into a POSIX shell. */
import { shellWord } from "@messaging-topup/journal/internal"

/** Quotes the words that need it. */
export const shellWords = (...words: ReadonlyArray<string>): string =>
  words.map(shellWord).join(" ")

/** Of the command, with what follows its name. */
export const shellLine = (...args: ReadonlyArray<string>): string =>
  shellWords("npx", "messaging-topup", ...args)
