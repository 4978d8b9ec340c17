import * as Effect from "effect/Effect"
import type { Environment } from "./Parse.ts"

/** Known before anything is printed: npx may end as soon as it is. */
const shell = process.ppid

const parent = Effect.delay(
  Effect.sync(() => process.ppid),
  "500 millis"
)

/** Ends when npx has ended, which ends its shell, but not the command in it: nobody could then stop that. */
export const endOfNpx = (environment: Environment): Effect.Effect<unknown> =>
  environment["npm_command"] === "exec"
    ? Effect.repeat(parent, { while: (now) => now === shell })
    : Effect.never
