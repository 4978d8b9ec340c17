/**
 * Settings that are read from files.
 */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { SettingsError } from "./SettingsError.ts"

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "error"

/** `setting` names what points to the file; the path is the operator's own and may be shown. */
export const readBytes = (
  setting: string,
  path: string
): Effect.Effect<Uint8Array, SettingsError> =>
  Effect.try({
    try: () => readFileSync(path),
    catch: (error) =>
      new SettingsError({ problem: `${setting}: ${path} cannot be read (${codeOf(error)})` })
  })

export const readText = (setting: string, path: string): Effect.Effect<string, SettingsError> =>
  Effect.map(readBytes(setting, path), (bytes) => new TextDecoder().decode(bytes))
