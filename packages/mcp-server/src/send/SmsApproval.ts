/**
 * Asks a person to approve one SMS.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { confirmationUnavailable } from "./ApprovalRefusals.ts"
import type { Caller } from "./Caller.ts"
import { Confirmation } from "./Confirmation.ts"
import type { SendKind } from "./PlannedSend.ts"
import * as Question from "./Question.ts"
import type { RulesOf } from "./Rules.ts"

const subjectOf = (request: SendSmsRequest, kind: SendKind) => [
  request.recipient,
  request.message,
  request.sender_id ?? null,
  request.webhook_url ?? null,
  request.scheduled_time ?? null,
  kind
]

export const make = Effect.fnUntraced(function* (rulesOf: RulesOf) {
  const confirmation = yield* Confirmation

  /** Returns the approval that came with the call, and the kind of send that it is for. */
  const decided = (caller: Caller, request: SendSmsRequest) =>
    confirmation.decided<SendKind>(caller, {
      first: subjectOf(request, "first"),
      resend: subjectOf(request, "resend"),
      copy: subjectOf(request, "copy"),
      again: subjectOf(request, "again")
    })

  /**
   * Every kind but a first send needs an approval, whatever the rules say. `unresolved`: the outcome
   * of an earlier send of the same SMS is still unknown.
   */
  const ask = (caller: Caller, request: SendSmsRequest, kind: SendKind, unresolved: boolean) => {
    const { option, value } = rulesOf(caller).confirm
    return confirmation.ask(caller, {
      text: Question.write(request, kind, unresolved),
      subject: subjectOf(request, kind),
      confirm: kind === "first" ? value : "require",
      unavailable: confirmationUnavailable({ kind, isRequired: value === "require", option })
    })
  }

  return { decided, ask }
})
