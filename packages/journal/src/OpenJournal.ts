/** Campaigns and single sends for scripts without Effect. */
import { InvalidInput, MessagingTopup, type SendSmsRequest } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import type { Decision, SendKey } from "./model/Send.ts"
import type { JournalError } from "./model/Errors.ts"
import { SendJournal } from "./sends/SendJournal.ts"
import type { SentOnce } from "./sends/SendOnce.ts"
import { locate, locationOf } from "./model/Location.ts"
import { open } from "./Open.ts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Row } from "./many/Row.ts"
import { sendMany } from "./SendMany.ts"
import type { SendManyEvent, SendManyResult } from "./model/Campaign.ts"
import { maxConcurrency, type SendManyOptions } from "./many/Settings.ts"

/** The journal of the campaigns, and the service that sends them. */
export interface OpenJournalOptions {
  /**
   * A SQLite file on this machine, which is created if it does not exist; the address of a PostgreSQL database
   * that several machines share, which begins with `postgres://`; or `memory`. Default: what
   * `MESSAGING_TOPUP_JOURNAL` says, or a file of this user.
   */
  readonly journal?: string
  /**
   * Goes on although another database server took over, and the last sends may be missing in it: for one start,
   * by a person's decision. Default: false.
   */
  readonly acceptFailover?: boolean
  /** The service's address. */
  readonly baseUrl: string
  /** The service's access token. */
  readonly token: string
}

/** The options of `sendMany`, whose `onEvent` is a plain function. */
export interface SendManyPromiseOptions extends Omit<SendManyOptions, "onEvent"> {
  /** Gets the events. Default: nothing. */
  readonly onEvent?: (event: SendManyEvent) => void
}

/** Sends on one journal. Each function rejects with the errors of the function of the same name for Effect. */
export interface Journal extends AsyncDisposable {
  /**
   * Sends the rows of a campaign that were not sent before. May be repeated, and run by several processes at
   * once: each row is sent at most once. Rows are read as they are needed.
   */
  readonly sendMany: (
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: SendManyPromiseOptions
  ) => Promise<SendManyResult>
  /** Sends an SMS once for a key, or for the key of a campaign's row: every later caller gets the first result. */
  readonly sendOnce: (key: SendKey, request: SendSmsRequest) => Promise<SentOnce>
  /**
   * Applies a person's decision to rows of a campaign whose outcome is unknown; with `keys`, only to these.
   * Returns how many changed.
   */
  readonly resolve: (
    campaign: string,
    decision: Decision,
    keys?: ReadonlyArray<string>
  ) => Promise<number>
  /** Applies a person's decision to a send of `sendOnce`. Returns whether anything changed. */
  readonly resolveOnce: (key: SendKey, decision: Decision) => Promise<boolean>
  /**
   * Claims no more rows, waits for the requests in flight, and closes the journal and the connections to
   * the service. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

type Services = MessagingTopup | SendJournal

/** Throws the failure itself, with the stack trace of the caller: an effect runs on a separate stack. */
// @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
const settled = async <A, E>(running: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const exit = await running
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  if (failure instanceof Error) Error.captureStackTrace?.(failure, settled)
  throw failure
}

const streamOf = (rows: Iterable<Row> | AsyncIterable<Row>): Stream.Stream<Row, unknown> =>
  Symbol.asyncIterator in rows
    ? Stream.fromAsyncIterable(rows, (error) => error)
    : Stream.fromIterable(rows)

const journalAt = (
  place: string | undefined,
  acceptFailover: boolean
): Layer.Layer<SendJournal, InvalidInput | JournalError> =>
  Result.match(place === undefined ? locate(undefined, process.env) : locationOf(place), {
    onSuccess: (location) =>
      open(location._tag === "Postgres" ? { ...location, acceptFailover } : location),
    onFailure: (problem) =>
      Layer.effect(
        SendJournal,
        Effect.fail(new InvalidInput({ operation: "openJournal", field: "journal", problem }))
      )
  })

/** Opens a journal for scripts without Effect. The first call opens it and checks the settings. */
export const openJournal = ({
  acceptFailover = false,
  baseUrl,
  journal,
  token
}: OpenJournalOptions): Journal => {
  const service = Layer.provide(
    MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }),
    NodeTransport.layerOptions({ connections: maxConcurrency })
  )
  const runtime = ManagedRuntime.make(Layer.merge(journalAt(journal, acceptFailover), service))
  const closing = new AbortController()
  const calls = new Set<Promise<unknown>>()

  const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => {
    const running = runtime.runPromiseExit(effect, { signal: closing.signal })
    const call = settled(running).finally(() => calls.delete(call))
    calls.add(call)
    return call
  }

  const close = () => {
    closing.abort()
    return Promise.allSettled(calls).then(() => runtime.dispose())
  }

  return {
    sendMany: (rows, { onEvent, ...options }) =>
      run(
        sendMany(streamOf(rows), {
          ...options,
          onEvent: (event) => Effect.sync(() => onEvent?.(event))
        })
      ),
    sendOnce: (key, request) =>
      run(Effect.flatMap(SendJournal, ({ sendOnce }) => sendOnce(key, request))),
    resolve: (campaign, decision, keys) =>
      run(
        Effect.flatMap(SendJournal, (sends) => sends.campaigns.resolve(campaign, decision, keys))
      ),
    resolveOnce: (key, decision) =>
      run(Effect.flatMap(SendJournal, ({ resolve }) => resolve(key, decision))),
    close,
    [Symbol.asyncDispose]: close
  }
}
