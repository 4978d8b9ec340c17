/** Lines of `messaging-topup` for people who copy them into a POSIX shell. */

const plain = /^[\w@%+=:,./-]+$/
const quote = "'"
const escapedQuote = "'\\''"

const shellWord = (arg: string): string =>
  plain.test(arg) ? arg : quote + arg.replaceAll(quote, escapedQuote) + quote

/** Quotes the words that need it. */
export const shellLine = (...args: ReadonlyArray<string>): string =>
  ["npx", "messaging-topup", ...args].map(shellWord).join(" ")
