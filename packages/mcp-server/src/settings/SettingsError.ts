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

/** Of an option, by both of its names. */
export const badOption = (name: string, problem: string): SettingsError =>
  new SettingsError({ problem: `--${name} (${variableOf(name)}): ${problem}` })
