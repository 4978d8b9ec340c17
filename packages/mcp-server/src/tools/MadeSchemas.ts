/**
 * The JSON Schemas of the tools, by the tools' keys, as far as they were made before the start. In the
 * bundle, a module with all of them takes the place of this one: to make them takes milliseconds.
 */
export interface MadeSchemas {
  readonly input: Readonly<Record<string, unknown>>
  readonly output: Readonly<Record<string, unknown>>
}

export const madeSchemas: Readonly<Record<string, MadeSchemas>> = {}
