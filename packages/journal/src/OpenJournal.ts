/**
 * Campaigns and single sends for scripts without Effect. The published file is a bundle, and these declarations
 * name no type of Effect or of Node.
 */
import { MessagingTopup } from "@messaging-topup/core"
import { ClientClosed } from "@messaging-topup/core/internal/errors"
import { unknownName } from "@messaging-topup/core/internal"
import * as NodeTransport from "@messaging-topup/core/node"
import type { CreateClientOptions, SendSmsRequest } from "@messaging-topup/core/promise"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { maxConcurrency } from "./many/Settings.ts"
import type { CampaignOptions, Row, SendManyEvent, SendManyResult } from "./model/Campaign.ts"
import type { Decision, SendKey, SentOnce, ToPruneBy, ToResolve } from "./model/Send.ts"
import { openPlace } from "./Place.ts"
import { sendMany } from "./SendMany.ts"
import { SendJournal } from "./sends/SendJournal.ts"

export type * from "./model/Campaign.ts"
export * from "./model/Errors.ts"
export type { Decision, SendKey, SentMessage, SentOnce, ToResolve } from "./model/Send.ts"

/** The journal of the sends, and the service that sends them. */
export interface OpenJournalOptions extends Pick<
  CreateClientOptions,
  "allowInsecureHttp" | "baseUrl" | "timeout" | "token"
> {
  /**
   * A SQLite file on this machine; the address of a PostgreSQL database that several machines share, which begins
   * with `postgres://`; or `memory`. Default: what `MESSAGING_TOPUP_JOURNAL` says, or a file of this user. If there is
   * no journal, it is created, and a warning of the process says so.
   */
  readonly journal?: string | undefined
}

const optionNames = Object.keys({
  journal: true,
  baseUrl: true,
  token: true,
  timeout: true,
  allowInsecureHttp: true
} satisfies Record<keyof OpenJournalOptions, true>)

/** How `sendMany` sends. All processes that send the same campaign should have the same options. */
export interface SendManyOptions extends CampaignOptions {
  /** Gets the events. Default: nothing. */
  readonly onEvent?: ((event: SendManyEvent) => void) | undefined
}

/**
 * What `prune` deletes: the sends of a campaign, or those of plain keys to which nothing happened for so many
 * milliseconds.
 */
export type ToPrune = ToPruneBy<number>

/**
 * Sends on one journal. Each function rejects with the errors of the function of the same name for Effect, such as
 * `SendOnceError`; after `close`, with `ClientClosed`. `_tag` says which; `sendOutcome` what is known of the SMS.
 */
export interface Journal extends AsyncDisposable {
  /** Sends an SMS once for a key, or for the key of a campaign's row: every later caller gets the first result. */
  readonly sendOnce: (key: SendKey, request: SendSmsRequest) => Promise<SentOnce>
  /**
   * Sends the rows of a campaign that were not sent before. May be repeated, and run by several processes at
   * once: each row is sent at most once. Rows are read as they are needed.
   */
  readonly sendMany: (
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: SendManyOptions
  ) => Promise<SendManyResult>
  /**
   * Applies a person's decision to sends of unknown outcome. Where a key or a number is named, it also takes
   * back another decision, as long as there is no later attempt. Returns how many sends changed.
   */
  readonly resolve: (which: ToResolve, decision: Decision) => Promise<number>
  /**
   * Deletes sends, and returns how many. A deleted key is forgotten: the same key sends again. The name of a
   * campaign stays, and running it again is refused. Rejects with `CampaignUndecided`, and deletes nothing,
   * while a row of the campaign is in flight or of unknown outcome.
   */
  readonly prune: (which: ToPrune) => Promise<number>
  /**
   * Claims no more rows, waits for the requests in flight, and closes the journal and the connections to
   * the service. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

type Services = MessagingTopup | SendJournal

const streamOf = (rows: Iterable<Row> | AsyncIterable<Row>): Stream.Stream<Row, unknown> =>
  Symbol.asyncIterator in rows
    ? Stream.fromAsyncIterable(rows, (error) => error)
    : Stream.fromIterable(rows)

/** Node prints it on stderr. */
const warn = (sentence: string) => Effect.sync(() => process.emitWarning(sentence))

/**
 * Opens a journal for scripts without Effect. The first call opens it and checks the values of the options; an
 * option that there is not throws `ConfigurationError` at once, because its journal would be another one.
 */
export const openJournal = (given: OpenJournalOptions): Journal => {
  const unknown = unknownName(given, optionNames)
  if (unknown !== undefined) throw unknown
  const { journal, token, ...settings } = given
  const service = Layer.provide(
    MessagingTopup.layer({ ...settings, token: Redacted.make(token) }),
    NodeTransport.layerOptions({ connections: maxConcurrency })
  )
  const runtime = ManagedRuntime.make(Layer.merge(openPlace(journal, warn), service))
  const closing = new AbortController()
  const { signal } = closing
  const calls = new Set<Promise<unknown>>()

  /** Throws the failure itself, with the stack trace of the caller: an effect runs on a separate stack. */
  // @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
  const run = async <A, E>(
    operation: string,
    effect: Effect.Effect<A, E, Services>
  ): Promise<A> => {
    if (signal.aborted) throw new ClientClosed({ operation })
    const call = runtime.runPromiseExit(effect, { signal })
    calls.add(call)
    const exit = await call.finally(() => calls.delete(call))
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.hasInterruptsOnly(exit.cause)
      ? new ClientClosed({ operation })
      : Cause.squash(exit.cause)
    if (failure instanceof Error) Error.captureStackTrace?.(failure, run)
    throw failure
  }

  const close = () => {
    closing.abort()
    return Promise.allSettled(calls).then(() => runtime.dispose())
  }

  return {
    sendOnce: (key, request) =>
      run(
        "sendOnce",
        Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce(key, request))
      ),
    sendMany: (rows, { onEvent, ...options }) =>
      run(
        "sendMany",
        sendMany(streamOf(rows), {
          ...options,
          onEvent: (event) => Effect.sync(() => onEvent?.(event))
        })
      ),
    resolve: (which, decision) =>
      run(
        "resolve",
        Effect.flatMap(SendJournal, ({ resolve }) => resolve(which, decision))
      ),
    prune: (which) =>
      run(
        "prune",
        Effect.flatMap(SendJournal, ({ prune }) => prune(which))
      ),
    close,
    [Symbol.asyncDispose]: close
  }
}
