/**
 * A setting that the server does not start with.
 */
import * as Data from "effect/Data"
import { variableOf } from "./Options.ts"

/** `problem` says what to change and never repeats a value. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly problem: string }> {
  override get message(): string {
    return `${this.problem}\nSee messaging-topup-mcp --help`
  }
}

/** An option by both of its names. */
export const bothNames = (name: string): string => `--${name} (${variableOf(name)})`

export const badOption = (name: string, problem: string): SettingsError =>
  new SettingsError({ problem: `${bothNames(name)}: ${problem}` })
