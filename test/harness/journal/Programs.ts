/**
 * The test programs that use a journal, each in a separate process.
 */
import { fileURLToPath } from "node:url"
import { startScoped } from "../Process.ts"

/** Starts a program of the folder `programs`. */
export const start = (program: string, ...args: ReadonlyArray<string>) =>
  startScoped([fileURLToPath(new URL(`programs/${program}`, import.meta.url)), ...args])
