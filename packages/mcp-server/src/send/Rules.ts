/**
 * The rules for one caller.
 */
import type * as Redacted from "effect/Redacted"
import type { Maximum, Name } from "../Options.ts"
import type { AllowRule } from "./Recipient.ts"
import type { SendLimit } from "./PlannedSend.ts"

/** The identity of a caller. */
export interface Identity {
  /** `local` over stdio; `key:<name>`, `oauth:<issuer>|<subject>` or `anonymous` over HTTP. */
  readonly principal: string
  /** The client of an OAuth token. */
  readonly clientId?: string
}

/**
 * Which sends need an approval. auto: all if the client can ask, otherwise second sends; require:
 * all; off: second sends.
 */
export type Confirm = "auto" | "require" | "off"

/** The option that removes the tools that send. */
export type SendingOff = "--read-only" | "--tools" | "--policy"

/** A value, and the option that sets it. */
export interface Setting<A> {
  readonly value: A
  readonly option: Name
}

export interface Rules {
  /** The names of the tools that are offered. */
  readonly tools: ReadonlyArray<string>
  /** The option that removes the tools that send, if one does. */
  readonly sendingOff: SendingOff | undefined
  /** Each of the lists must allow a recipient; without a list, everyone is allowed. */
  readonly allowLists: Setting<ReadonlyArray<ReadonlyArray<AllowRule>>>
  /** The sender IDs that may be used; all if it is absent. */
  readonly senderIds: ReadonlyArray<string> | undefined
  /** The hosts that may receive status updates. Without any, `webhook_url` is no argument. */
  readonly webhookHosts: ReadonlyArray<string>
  readonly maximums: Readonly<Record<Maximum, Setting<number>>>
  readonly limits: ReadonlyArray<SendLimit>
  readonly confirm: Setting<Confirm>
}

/** Whether a first send needs an approval. */
export const isAsked = ({ confirm }: Rules, canBeAsked: boolean): boolean =>
  confirm.value === "require" || (confirm.value === "auto" && canBeAsked)

export type RulesOf = (identity: Identity) => Rules

/** The rules of each caller, and the token that pays for its calls. */
export interface Policy {
  readonly rulesOf: RulesOf
  /** `undefined`: the caller uses the server's own token. */
  readonly tokenOf: (identity: Identity) => Redacted.Redacted | undefined
  readonly tokens: ReadonlyArray<Redacted.Redacted>
}
