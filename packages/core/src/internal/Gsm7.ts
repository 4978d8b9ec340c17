const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ" +
  " !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" +
  "¿abcdefghijklmnopqrstuvwxyzäöñüà"

const extension = "\f^{}\\[~]|€"

// A byte for every code point up to the highest of the alphabet: a lookup is one array read.
const costs = new Uint8Array("€".charCodeAt(0) + 1)
for (const character of basic) costs[character.charCodeAt(0)] = 1
for (const character of extension) costs[character.charCodeAt(0)] = 2

/**
 * Tells how many septets a code point takes in the GSM 7 bit default alphabet: 2 for a character of
 * the extension table (an escape goes before it), 0 for one that the alphabet does not have.
 *
 * The escape itself (U+001B) counts as absent: it starts a pair and is not text.
 *
 * Source: 3GPP TS 23.038 §6.2.1 and §6.2.1.1
 */
export const septetsOf = (codePoint: number): number => costs[codePoint] ?? 0
