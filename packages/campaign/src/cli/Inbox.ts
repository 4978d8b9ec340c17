/**
 * The inbox of a sandbox, which a person can look at after a campaign was sent to it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Invocation } from "./Invocation.ts"
import * as Signals from "./Signals.ts"

export class Inbox extends Context.Service<
  Inbox,
  {
    /** The address; undefined for the real service. */
    readonly url: string | undefined
  }
>()("@messaging-topup/campaign/cli/Inbox") {}

/**
 * Keeps the inbox open for a person, until Ctrl-C. A script must end. Then the command ends with this code.
 */
export const stayOpen = Effect.fnUntraced(function* (code: number) {
  const { url } = yield* Inbox
  const { stderr, stdin } = yield* Invocation
  if (url === undefined || stdin.isTTY !== true || stderr.isTTY !== true) return code
  return yield* Signals.waitAtEnd(code, `The inbox stays open until Ctrl-C: ${url}`)
})
