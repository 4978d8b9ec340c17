/**
 * Campaigns and single sends for scripts without Effect. The published file is a bundle, and these declarations
 * name no type of Effect or of Node.
 */
import "@messaging-topup/core/internal/node"
import { InvalidInput, MessagingTopup } from "@messaging-topup/core"
import { ClientClosed, type ConfigurationError } from "@messaging-topup/core/internal/errors"
import { checkOptions } from "@messaging-topup/core/internal"
import * as NodeTransport from "@messaging-topup/core/node"
import type { CreateClientOptions, SendSmsRequest } from "@messaging-topup/core/promise"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { maxConcurrency } from "./many/Settings.ts"
import type { CampaignOptions, Row, SendManyEvent, SendManyResult } from "./model/Campaign.ts"
import { type Option, unchecked } from "./model/Options.ts"
import type { Decision, Resolved, SendKey, SentOnce, ToPruneBy, ToResolve } from "./model/Send.ts"
import { readSend } from "./model/Names.ts"
import { openNamed, placeOf } from "./Place.ts"
import { sendMany } from "./SendMany.ts"
import { Shutdown, untilShutdown } from "./sends/Shutdown.ts"
import { SendJournal } from "./sends/SendJournal.ts"

export type * from "./model/Campaign.ts"
export * from "./model/Errors.ts"
export { isFinal } from "./model/Final.ts"
export type { Decision, Resolved, SendKey, SentMessage, SentOnce, ToResolve } from "./model/Send.ts"

/** The journal of the sends, and the service that sends them. */
export interface OpenJournalOptions extends Pick<
  CreateClientOptions,
  "allowInsecureHttp" | "baseUrl" | "timeout" | "token"
> {
  /**
   * A SQLite file on this machine; the URL of a PostgreSQL database that several machines share, which begins
   * with `postgres://`; or `memory`. Left out: what `MESSAGING_TOPUP_JOURNAL` says, or a file of this user. If there is
   * no journal, it is created, and a warning of the process says so. `undefined` is refused: check a variable first.
   */
  readonly journal?: string
}

const table = {
  // `placeOf` checks it, and the service the others.
  journal: unchecked,
  baseUrl: unchecked,
  token: unchecked,
  timeout: unchecked,
  allowInsecureHttp: unchecked
} satisfies Record<keyof OpenJournalOptions, Option<unknown>>

/** How `sendMany` sends: see {@link CampaignOptions}. A promise that `onEvent` returns is awaited. */
export interface SendManyOptions extends CampaignOptions {}

/** What `prune` deletes, with the age in milliseconds. */
export type ToPrune = ToPruneBy<number>

/**
 * Sends on one journal. Each function rejects with the errors of the function of the same name for Effect, such as
 * `SendOnceError`; after `close`, with `ClientClosed`. `_tag` says which; `sendOutcome` what is known of the SMS.
 * A text is sent as it is, also with a placeholder that nobody filled: a program may mean it.
 */
export interface Journal extends AsyncDisposable {
  /**
   * Sends an SMS once for a key, or for the key of a campaign's row: every later caller gets the first result. It takes
   * no `signal`: `timeout` limits its request.
   */
  readonly sendOnce: (key: SendKey, request: SendSmsRequest) => Promise<SentOnce>
  /**
   * Sends the rows of a campaign that were not sent before. May be repeated, and run by several processes at
   * once: each row is sent at most once. Rows are read as they are needed.
   */
  readonly sendMany: (
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: SendManyOptions
  ) => Promise<SendManyResult>
  /** Applies a person's decision to sends, and returns how many it changed: see {@link ToResolve}. */
  readonly resolve: (which: ToResolve, decision: Decision) => Promise<Resolved>
  /** Deletes sends, and returns how many, or how many rows of a campaign: see {@link ToPruneBy}. */
  readonly prune: (which: ToPrune) => Promise<number>
  /**
   * Closes the journal and the connections to the service. No claim begins any more: what only waited rejects with
   * `ClientClosed`. What has been claimed ends, and its call returns how; `sendMany` returns its counts, with the
   * stop `"Closed"`. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

type Services = MessagingTopup | SendJournal

const rowsOf = (
  rows: Iterable<Row> | AsyncIterable<Row>
): Iterable<Row> | Stream.Stream<Row, unknown> =>
  Predicate.hasProperty(rows, Symbol.asyncIterator)
    ? Stream.fromAsyncIterable(rows, (error) => error)
    : rows

/** Leaves what is no function to the check of `sendMany`. */
const withEffects = (options: SendManyOptions) => {
  const { onEvent } = { ...options }
  return {
    ...options,
    onEvent: Predicate.isFunction(onEvent)
      ? (event: SendManyEvent) => Effect.promise(() => Promise.resolve(event).then(onEvent))
      : onEvent
  }
}

/** The journal reads it once it is open. What cannot be copied is none of its options. */
const copyOf = <A>(which: A): A =>
  Result.getOrElse(
    Result.try(() => structuredClone(which)),
    () => which
  )

/** Node prints it on stderr. */
const warn = (sentence: string) => Effect.sync(() => process.emitWarning(sentence))

/** Effect's own logger prints on stdout, where a script prints its data. */
const onStderr = Logger.withConsoleError(
  Logger.make<unknown, string>(({ message }) =>
    [message]
      .flat()
      .map((part) => (Predicate.isString(part) ? part : JSON.stringify(part)))
      .join(" ")
  )
)

/** Refuses a third argument, such as the `signal` that a call of the client takes. */
const withoutOptions = (given: ReadonlyArray<unknown>) =>
  given.length === 0
    ? Effect.void
    : Effect.fail(
        new InvalidInput({
          operation: "sendOnce",
          field: "options",
          problem: "sendOnce takes none; the timeout of openJournal limits its request"
        })
      )

/** Throws with the stack trace of the caller: an effect runs on a separate stack. */
const valueOf = <A>(result: Result.Result<A, ConfigurationError>): A => {
  if (Result.isSuccess(result)) return result.success
  Error.captureStackTrace?.(result.failure, openJournal)
  throw result.failure
}

/**
 * Opens a journal for scripts without Effect. Throws `ConfigurationError` for an option that is missing, unsafe or
 * unknown, for what is no place of a journal, and on Bun. The first call opens the file or the database.
 *
 * Open it once for a process. A journal for each request sends nothing twice, but is slow: with hundreds at once, calls
 * reject with `JournalLocked` or an unknown outcome.
 */
export const openJournal = (given: OpenJournalOptions): Journal => {
  valueOf(checkOptions(table, given))
  const { allowInsecureHttp, baseUrl, timeout, token } = given
  const location = valueOf(placeOf("journal" in given ? [given.journal] : []))
  const settings = { allowInsecureHttp, baseUrl, timeout, token: Redacted.make(token) }
  const connections = Scope.makeUnsafe()
  const transport = NodeTransport.layerOptions({ connections: maxConcurrency })
  // At once: a program would take what the first call rejects with for a send of unknown outcome.
  const service = Layer.buildWithScope(transport, connections).pipe(
    Effect.flatMap((built) => Effect.provideContext(MessagingTopup.make(settings), built)),
    Effect.result,
    Effect.runSync,
    valueOf
  )
  const opened = () =>
    ManagedRuntime.make(
      Layer.mergeAll(
        openNamed(location, warn),
        Layer.succeed(MessagingTopup, service),
        Logger.layer([onStderr])
      )
    )
  let runtime = opened()
  /** A runtime keeps its failure: what could not be opened is opened again by the next call. */
  const services = Effect.suspend(() => {
    const current = runtime
    return Effect.tapError(current.contextEffect, () => {
      if (runtime === current) runtime = opened()
      return current.disposeEffect
    })
  })
  const shutdown = Deferred.makeUnsafe<void>()
  const calls = new Set<Promise<unknown>>()

  /** Throws the failure itself, with the stack trace of the caller: an effect runs on a separate stack. */
  // @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
  const run = async <A, E>(
    operation: string,
    effect: Effect.Effect<A, E, Services>
  ): Promise<A> => {
    if (Deferred.isDoneUnsafe(shutdown)) throw new ClientClosed({ operation })
    const used = Effect.flatMap(untilShutdown(services), (context) =>
      Effect.provideContext(effect, context)
    )
    const call = Effect.runPromiseExit(Effect.provideService(used, Shutdown, shutdown))
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
    Deferred.doneUnsafe(shutdown, Effect.void)
    return Promise.allSettled(calls)
      .then(() => runtime.dispose())
      .then(() => Effect.runPromise(Scope.close(connections, Exit.void)))
  }

  return {
    sendOnce: (key, request, ...options: ReadonlyArray<unknown>) => {
      const copy = readSend("sendOnce", key, request)
      return run(
        "sendOnce",
        Effect.andThen(
          withoutOptions(options),
          Effect.flatMap(Effect.fromResult(copy), (send) =>
            SendJournal.use((sends) => sends.sendOnce(send.key, send.request))
          )
        )
      )
    },
    sendMany: (rows, options) => run("sendMany", sendMany(rowsOf(rows), withEffects(options))),
    resolve: (which, decision) => {
      const copy = copyOf(which)
      return run(
        "resolve",
        untilShutdown(SendJournal.use((sends) => sends.resolve(copy, decision)))
      )
    },
    prune: (which) => {
      const copy = copyOf(which)
      return run("prune", untilShutdown(SendJournal.use((sends) => sends.prune(copy))))
    },
    close,
    [Symbol.asyncDispose]: close
  }
}
