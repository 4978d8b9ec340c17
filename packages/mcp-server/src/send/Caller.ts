/**
 * The caller of a tool: who it is, and what its side can do. A client over MCP is one (`mcp/McpCaller.ts`), and
 * the program that has the tools as a toolkit is another one (`toolkit/`).
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Refusal } from "./Refusal.ts"
import type { Identity } from "./Rules.ts"

/** What a person did with a question. Whatever is not "accept" is no approval. */
type Action = string

/** A question while the call is running. */
export interface DuringCall {
  readonly _tag: "DuringCall"
  readonly ask: (question: string, timeout: Duration.Duration) => Effect.Effect<Action, Refusal>
}

/** A question as the result of the call. The client calls again, with the decision. */
export interface ByResult {
  readonly _tag: "ByResult"
  /** The decision that came with this call. */
  readonly action: Action | undefined
  /** Signs the state of a question, which the client returns with the decision. */
  readonly seal: (state: unknown) => Effect.Effect<string>
  /** The state that came with this call. Fails if it is too old, or not from this server. */
  readonly unseal: Effect.Effect<unknown, Refusal>
}

export interface Progress {
  readonly progress: number
  readonly total: number
  readonly message: string
}

/** Approvals, duplicates and the log are bound to the principal. */
export interface Caller extends Identity {
  /** How a person is asked; undefined if nobody can be asked. */
  readonly asking: ByResult | DuringCall | undefined
  /** Tells the caller how far its call is; undefined if it does not want to know. */
  readonly report: ((progress: Progress) => Effect.Effect<void, unknown>) | undefined
}

/** Not awaited: a client that reads slowly, or is gone, must not delay a send. */
export const report = ({ report: tell }: Caller, progress: Progress): Effect.Effect<void> =>
  tell === undefined
    ? Effect.void
    : tell(progress).pipe(
        Effect.ignore,
        Effect.forkDetach({ startImmediately: true }),
        Effect.asVoid
      )
