/**
 * How a handler breaks the connection of a reader that does not read.
 */
import * as Context from "effect/Context"

/** One for each request. */
export class Cut extends Context.Service<Cut, AbortController>()(
  "@messaging-topup/sandbox/control/Cut"
) {}
