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
  /**
   * When the reply or this call came, by `monotonicMillis`: to read it and to start takes the server time, and on a busy
   * machine more than a person takes.
   */
  readonly repliedWhen: number
  /** The sealed question that came with this call. */
  readonly sealed: unknown
  /** Signs what a question asked. The client returns it with the reply. */
  readonly seal: (question: unknown) => Effect.Effect<string>
  /** Fails if it is not from this server. */
  readonly unseal: (sealed: unknown) => Effect.Effect<unknown, Refusal>
}

/** Approvals, duplicates and the log are bound to the caller. */
export interface Caller extends Identity {
  /** Undefined if nobody can be asked. */
  readonly person: PersonChannel | undefined
}
