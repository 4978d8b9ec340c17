/** Settings that the client cannot work with. */
import { failure } from "./Failure.ts"

/** The beginning of `problem` for a setting that is missing. */
export const notSet = "is not set"

/** A setting of the client is missing, invalid, unsafe or unknown. The client is not built. */
export class ConfigurationError extends failure<{
  /** The name of the option, or of its environment variable. */
  readonly setting: string
  /** What to change. Never repeats the value. */
  readonly problem: string
  readonly operation?: never
}>()("ConfigurationError", {
  message: ({ problem, setting }) =>
    problem.startsWith(notSet) ? `${setting} ${problem}` : `Change ${setting}: ${problem}`,
  outcome: () => "unknown"
}) {}
