/**
 * A setting that keeps the server from starting.
 */
import * as Data from "effect/Data"
import { bothNames, type Name } from "./Options.ts"

/** `problem` says what to change. It never repeats a value, which could be a secret. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly problem: string }> {
  override get message(): string {
    return `${this.problem}\nSee messaging-topup-mcp --help`
  }
}

export const badOption = (name: Name, problem: string): SettingsError =>
  new SettingsError({ problem: `${bothNames(name)}: ${problem}` })
