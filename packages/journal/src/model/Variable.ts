/** Reads variables of secrets, which may name a file in their place: for the journal's own, and for the MCP server. */
import { failureCode } from "@messaging-topup/core/internal"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { isAbsolute } from "node:path"

/** A whole path is no secret, so errors show it. Anything else may be the secret itself, in the wrong variable. */
export const contentOf = (path: string): Result.Result<Buffer, string> =>
  Result.try({
    try: () => readFileSync(path),
    catch: (error) =>
      `${isAbsolute(path) ? path : "the file that it names"} cannot be read (${failureCode(error) ?? "error"})`
  })

/**
 * Returns the text of a variable, or of the file that `<name>_FILE` names, and which of both it was. With both, it
 * would be unclear which one applies.
 */
export const readVariable = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string
): Result.Result<{ readonly text: string; readonly source: string } | undefined, string> => {
  const text = environment[name] || undefined
  const source = `${name}_FILE`
  const path = environment[source] || undefined
  if (path === undefined) {
    return Result.succeed(text === undefined ? undefined : { text: text.trim(), source: name })
  }
  return text === undefined
    ? Result.mapBoth(contentOf(path), {
        onFailure: (problem) => `${source}: ${problem}`,
        onSuccess: (content) => ({ text: content.toString().trim(), source })
      })
    : Result.fail(`Leave out ${name} or ${source}: both are set`)
}
