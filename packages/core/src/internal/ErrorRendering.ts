/**
 * What an error shows when something prints it.
 *
 * The service's own words can repeat a phone number, an id or even the token, and a response we
 * could not read can hold anything. A caller may read them; a logger must not print them unasked.
 */

/** Keeps a property readable but out of `inspect`, spreads and `JSON.stringify`. */
export const hide = (error: object, ...keys: ReadonlyArray<string>): void => {
  for (const key of keys) {
    if (Object.hasOwn(error, key)) Object.defineProperty(error, key, { enumerable: false })
  }
}

/** What is left to show, for `toJSON`: Effect's own prints every constructor argument. */
export const visible = (error: Error): object => ({ ...error, message: error.message })

/** The message of a documented error: our advice, and where the service's own words are. */
export const serviceSays = (status: number, advice: string): string =>
  `${advice} (HTTP ${status}; the service's own words are in error.title and error.detail)`
