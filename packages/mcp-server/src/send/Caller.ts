/** Who calls, and how a person can be asked through the caller. */
import type * as Effect from "effect/Effect"
import type { Refusal } from "./Refusal.ts"

/** The identity of a caller. */
export interface Identity {
  /**
   * `local` over stdio. Over HTTP `key:<name>`, `oauth:<issuer>|<subject>`, `oauth-client:<issuer>|<client>` or
   * `anonymous`.
   */
  readonly id: string
  /** The client of an OAuth token. */
  readonly clientId?: string
}

/**
 * The way to a person: the call ends with a question, and the client calls again with the reply. For a
 * client that is asked during its call, `McpTool.ts` does both.
 */
export interface PersonChannel {
  /** What the person did with the question that came before. Whatever is not "accept" is no approval. */
  readonly action: string | undefined
  /** The sealed state that came with this call. */
  readonly state: unknown
  /** Signs the state of a question, which the client returns with the reply. */
  readonly seal: (state: unknown) => Effect.Effect<string>
  /** Fails if the state is not from this server. */
  readonly unseal: (state: unknown) => Effect.Effect<unknown, Refusal>
}

/** Approvals, duplicates and the log are bound to the caller. */
export interface Caller extends Identity {
  /** Undefined if nobody can be asked. */
  readonly person: PersonChannel | undefined
}
