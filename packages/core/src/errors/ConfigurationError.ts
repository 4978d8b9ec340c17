/** Settings that the client cannot work with. */
import * as Schema from "effect/Schema"
import { errorClass } from "./ErrorClass.ts"

/** The beginning of `problem` for a setting that is missing. */
export const notSet = "is not set"

/**
 * A setting of the client is missing, invalid, unsafe or unknown. The client is not built and
 * nothing is sent.
 *
 * `setting` is the name of the option. `problem` says what to change and never repeats the value.
 */
export class ConfigurationError extends errorClass<ConfigurationError>()(
  "ConfigurationError",
  { setting: Schema.String, problem: Schema.String },
  {
    message: ({ problem, setting }) =>
      problem.startsWith(notSet) ? `${setting} ${problem}` : `Change ${setting}: ${problem}`
  }
) {}
