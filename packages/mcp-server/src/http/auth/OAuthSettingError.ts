/**
 * A setting of OAuth that the server cannot work with.
 */
import * as Schema from "effect/Schema"

/**
 * A setting is missing or unsafe, and nobody is let in.
 *
 * `setting` is the name of the option; `problem` says what to change and never repeats the value.
 */
export class OAuthSettingError extends Schema.TaggedError<OAuthSettingError>()(
  "OAuthSettingError",
  {
    setting: Schema.Literals(["issuer", "audience", "jwksUri", "resource"]),
    problem: Schema.String
  }
) {
  override get message(): string {
    return `Change ${this.setting}: ${this.problem}`
  }
}
