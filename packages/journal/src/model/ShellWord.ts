/** Words for people who copy them into a POSIX shell. */

const plain = /^[\w@%+=:,./-]+$/
const quote = "'"
const escapedQuote = "'\\''"

/** Quotes a word that needs it. */
export const shellWord = (word: string): string =>
  plain.test(word) ? word : quote + word.replaceAll(quote, escapedQuote) + quote
