/** Reads variables of secrets, which may name a file in their place: for the journal's own, the command and the MCP server. */
import { failureCode } from "@messaging-topup/core/internal"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { isAbsolute } from "node:path"

/** A whole path is no secret, so errors show it. Anything else may be the secret itself, in the wrong variable. */
const fileAt = (path: string): string => (isAbsolute(path) ? path : "the file that it names")

export const contentOf = (path: string): Result.Result<Buffer, string> =>
  Result.try({
    try: () => readFileSync(path),
    catch: (error) => `${fileAt(path)} cannot be read (${failureCode(error) ?? "error"})`
  })

/** The variable that has the text of this one, or names its file. */
export const sourceOf = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string
): string => (environment[`${name}_FILE`] ? `${name}_FILE` : name)

/**
 * Returns the text of a variable, or of the file that `<name>_FILE` names, and which of both it was. With both, it
 * would be unclear which one applies.
 */
export const readVariable = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string
): Result.Result<{ readonly text: string; readonly source: string } | undefined, string> => {
  const text = environment[name] || undefined
  const source = sourceOf(environment, name)
  if (source === name) {
    return Result.succeed(text === undefined ? undefined : { text: text.trim(), source })
  }
  const path = environment[source] ?? ""
  if (text !== undefined) return Result.fail(`Leave out ${name} or ${source}: both are set`)
  return Result.map(contentOf(path), (content) => content.toString().trim()).pipe(
    Result.filterOrFail(
      (secret) => secret !== "",
      () => `${fileAt(path)} is empty`
    ),
    Result.mapBoth({
      onFailure: (problem) => `${source}: ${problem}`,
      onSuccess: (secret) => ({ text: secret, source })
    })
  )
}
