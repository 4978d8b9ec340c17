/**
 * The rules for one caller.
 */
import type * as Redacted from "effect/Redacted"
import type { Name } from "../settings/Options.ts"
import type { AllowRule } from "./Recipient.ts"
import type { SendLimit } from "./Claim.ts"

/** The identity of a caller. */
export interface Identity {
  /** `local` over stdio; `key:<name>`, `oauth:<issuer>|<subject>` or `anonymous` over HTTP. */
  readonly principal: string
  /** The client of an OAuth token. */
  readonly clientId?: string
}

/** Which sends need an approval: all if the client can ask, all, or only second sends. */
export type Confirm = "auto" | "require" | "off"

/** The option that removes `send_sms`. */
export type SendingOff = "--read-only" | "--tools" | "--policy"

export interface Rules {
  /** The names of the tools that are offered. */
  readonly tools: ReadonlyArray<string>
  /** The option that removes `send_sms`, if one does. */
  readonly sendingOff: SendingOff | undefined
  /** Each of the lists must allow a recipient; without a list, everyone is allowed. */
  readonly allowLists: ReadonlyArray<ReadonlyArray<AllowRule>>
  readonly maxRecipients: number
  readonly maxSegments: number
  readonly limits: ReadonlyArray<SendLimit>
  readonly confirm: Confirm
  /** The option that set each rule. Refusals name it, so that the operator can change it. */
  readonly setBy: Readonly<Record<"recipients" | "numbers" | "segments" | "confirm", Name>>
}

export type RulesOf = (identity: Identity) => Rules

/** The rules of each caller, and the token that pays for its calls. */
export interface Policy {
  readonly rulesOf: RulesOf
  /** `undefined`: the caller uses the server's own token. */
  readonly tokenOf: (identity: Identity) => Redacted.Redacted | undefined
  readonly tokens: ReadonlyArray<Redacted.Redacted>
}
