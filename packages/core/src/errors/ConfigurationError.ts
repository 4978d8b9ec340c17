/**
 * Settings that the client cannot work with.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/ErrorRendering.ts"

/**
 * A setting of the client is missing or unsafe. The layer is not built and nothing is sent.
 *
 * `setting` is the name of the option; `problem` says what to change and never repeats the value.
 *
 * @since 0.1.0
 */
export class ConfigurationError extends Schema.TaggedError<ConfigurationError>()(
  "ConfigurationError",
  {
    setting: Schema.String,
    problem: Schema.String
  }
) {
  override get message(): string {
    return `Change ${this.setting}: ${this.problem}`
  }
  override toJSON(): object {
    return visible(this)
  }
}
