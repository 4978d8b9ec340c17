/**
 * The caller of a tool: who it is, and whether its side can ask a person.
 */
import type * as Effect from "effect/Effect"
import type { Refusal } from "./Refusal.ts"
import type { Identity } from "./Rules.ts"

/**
 * How a person is asked: the call ends with a question, and the client calls again with the decision. For a
 * client that is asked during its call, `mcp/McpTool.ts` does both.
 */
export interface Asking {
  /** What the person did with the question that came before. Whatever is not "accept" is no approval. */
  readonly action: string | undefined
  /** Signs the state of a question, which the client returns with the decision. */
  readonly seal: (state: unknown) => Effect.Effect<string>
  /** The state that came with this call. Fails if it is too old, or not from this server. */
  readonly unseal: Effect.Effect<unknown, Refusal>
}

/** Approvals, duplicates and the log are bound to the principal. */
export interface Caller extends Identity {
  /** Undefined if nobody can be asked. */
  readonly asking: Asking | undefined
}
