/**
 * The file that `--out` names: only the current user may read it.
 */
import * as Effect from "effect/Effect"
import { type FileHandle, open } from "node:fs/promises"
import { cannotRun, refuse } from "./Failure.ts"
import { isTerminal, print } from "./Output.ts"

const ownerOnly = 0o600

const tryTo = <A>(write: () => Promise<A>) =>
  Effect.catch(Effect.tryPromise(write), ({ cause }) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown"
    return cannotRun(`--out: the file cannot be written (${code})`)
  })

/** Fails if the text would go to a terminal. Call it before any work is done. */
export const requireTarget = Effect.fnUntraced(function* (
  out: string | undefined,
  example: string
) {
  if (out !== undefined || !(yield* isTerminal)) return
  return yield* refuse(`A terminal is no place for this: give --out ${example}, or redirect stdout`)
})

/** Returns how to write lines to a file, or to stdout without one. The file is empty first. */
export const writer = Effect.fnUntraced(function* (out: string | undefined) {
  if (out === undefined) return print
  const file = yield* Effect.acquireRelease(
    tryTo(() => open(out, "w", ownerOnly)),
    (opened: FileHandle) => Effect.promise(() => opened.close())
  )
  yield* tryTo(() => file.chmod(ownerOnly))
  return (text: string) => tryTo(() => file.writeFile(`${text}\n`))
})
