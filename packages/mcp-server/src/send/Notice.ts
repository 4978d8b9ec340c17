/**
 * The sentence that starts every result of a server, such as the one that says it is the sandbox.
 */
import * as Context from "effect/Context"

/** Empty: results start without a notice. */
export const Notice = Context.Reference<string>("@messaging-topup/mcp-server/Notice", {
  defaultValue: () => ""
})
