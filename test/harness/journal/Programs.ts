/**
 * The test programs that use a journal, each in a separate process or thread.
 */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { startScoped } from "../Process.ts"

const urlOf = (program: string) => new URL(`programs/${program}`, import.meta.url)

/** Starts a program of the folder `programs`. */
export const start = (program: string, ...args: ReadonlyArray<string>) =>
  startWith({}, program, ...args)

/** Starts one with more variables. */
export const startWith = (
  env: Readonly<Record<string, string>>,
  program: string,
  ...args: ReadonlyArray<string>
) => startScoped([fileURLToPath(urlOf(program)), ...args], { env })

/** Runs one in a thread of this process, until it posts a message. When the scope closes, it has ended. */
export const inThread = (program: string, ...argv: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const worker = new Worker(urlOf(program), { argv: [...argv] })
      return { ended: once(worker, "exit"), told: once(worker, "message") }
    }),
    ({ ended }) => Effect.promise(() => ended)
  ).pipe(Effect.flatMap(({ told }) => Effect.promise(() => told)))
