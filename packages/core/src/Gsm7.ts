const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ" +
  " !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" +
  "¿abcdefghijklmnopqrstuvwxyzäöñüà"

const extension = "\f^{}\\[~]|€"

// One byte for every code point up to the highest in the alphabet, so that a lookup is one array
// read.
const costs = new Uint8Array("€".charCodeAt(0) + 1)
for (const character of basic) costs[character.charCodeAt(0)] = 1
for (const character of extension) costs[character.charCodeAt(0)] = 2

/**
 * Returns how many septets a code point takes in the GSM 7 bit default alphabet: 2 for a character
 * of the extension table, because an escape comes before it, and 0 for a character outside the
 * alphabet.
 *
 * The escape itself (U+001B) counts as outside the alphabet: it starts a pair and is not text.
 *
 * Source: 3GPP TS 23.038 §6.2.1 and §6.2.1.1
 */
export const septetsOf = (codePoint: number): number => costs[codePoint] ?? 0
