/** Returns a number of its own for each text. */
export const numberOf = (text: string): string =>
  `+1555${[...text].map((letter) => letter.charCodeAt(0)).join("")}`
