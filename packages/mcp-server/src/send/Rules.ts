/**
 * What one caller may do.
 */
import type * as Redacted from "effect/Redacted"
import type { Maximum, Name } from "../settings/Options.ts"
import type { AllowRule } from "./Recipient.ts"
import type { SendLimit } from "./Claim.ts"

/** Who a caller is. */
export interface Identity {
  /** `local` over stdio; `key:<name>`, `oauth:<issuer>|<subject>` or `anonymous` over HTTP. */
  readonly principal: string
  /** The client of an OAuth token. */
  readonly clientId?: string
}

/** Whether a person is asked: where the client can ask, always, or never. */
export type Confirm = "auto" | "require" | "off"

/** The option that leaves `send_sms` out. */
export type SendingOff = "--read-only" | "--tools" | "--policy"

/** A value, and the option that sets it. */
export interface Setting<A> {
  readonly value: A
  readonly option: Name
}

export interface Rules {
  /** The names of the tools that are offered. */
  readonly tools: ReadonlyArray<string>
  /** What leaves `send_sms` out, where something does. */
  readonly sendingOff: SendingOff | undefined
  /** Each of the lists must allow a recipient; without a list, everyone is allowed. */
  readonly allowLists: Setting<ReadonlyArray<ReadonlyArray<AllowRule>>>
  readonly maximums: Readonly<Record<Maximum, Setting<number>>>
  readonly limits: ReadonlyArray<SendLimit>
  readonly confirm: Setting<Confirm>
}

export type RulesOf = (identity: Identity) => Rules

/** The rules of each caller, and the token that pays for its calls. */
export interface Policy {
  readonly rulesOf: RulesOf
  /** `undefined` for the server's own. */
  readonly tokenOf: (identity: Identity) => Redacted.Redacted | undefined
  readonly tokens: ReadonlyArray<Redacted.Redacted>
}
