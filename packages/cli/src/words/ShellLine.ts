/** Lines of `messaging-topup` for people who copy them into a POSIX shell. */
import { shellWord } from "@messaging-topup/journal/internal"

/** Quotes the words that need it. */
export const shellLine = (...args: ReadonlyArray<string>): string =>
  ["npx", "messaging-topup", ...args].map(shellWord).join(" ")
