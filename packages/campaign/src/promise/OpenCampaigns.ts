/** Campaigns for scripts without Effect. */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import type {
  CampaignJournal,
  Decision,
  NewRow,
  Row,
  RowState,
  SendJournal
} from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Campaign from "../Campaign.ts"
import type { CampaignEvent } from "../sending/CampaignEvent.ts"
import type { CampaignOptions } from "../sending/CampaignOptions.ts"

/** The journal of the campaigns, and the service that sends them. */
export interface OpenCampaignsOptions {
  /** A SQLite file on this machine, which is created if it does not exist. */
  readonly journal: string
  /** The service's address. */
  readonly baseUrl: string
  /** The service's access token. */
  readonly token: string
}

/**
 * Campaigns in one journal. Each function rejects, and each loop throws, with the errors of the function
 * of the same name in `Campaign`.
 */
export interface Campaigns extends AsyncDisposable {
  /** Loads all rows, then sends them. Leaving the loop waits for the requests in flight. */
  readonly run: (
    campaign: string,
    rows: Iterable<NewRow> | AsyncIterable<NewRow>,
    options?: CampaignOptions
  ) => AsyncIterable<CampaignEvent>
  /** Sends the remaining rows of a campaign. */
  readonly resume: (campaign: string, options?: CampaignOptions) => AsyncIterable<CampaignEvent>
  /** Pauses a campaign in all processes. Returns the state: a cancelled campaign stays cancelled. */
  readonly pause: (campaign: string) => Promise<Campaign.CampaignStatus["state"]>
  /** Stops a campaign permanently: its pending rows become rejected. Returns the state. */
  readonly cancel: (campaign: string) => Promise<Campaign.CampaignStatus["state"]>
  /** Returns the state of a campaign, and how many of its rows are in each state. */
  readonly status: (campaign: string) => Promise<Campaign.CampaignStatus>
  /** Reads the rows in the order in which they were loaded. */
  readonly results: (campaign: string, filter?: { readonly state?: RowState }) => AsyncIterable<Row>
  /** Applies a person's decision to rows of unknown outcome. Returns what changed. */
  readonly resolveUnknown: (
    campaign: string,
    decision: Decision,
    filter?: { readonly keys?: ReadonlyArray<string> }
  ) => Promise<Campaign.Decided>
  /** Takes rejected rows up again. Returns what changed. */
  readonly retryRejected: (
    campaign: string,
    filter?: { readonly keys?: ReadonlyArray<string>; readonly reason?: string }
  ) => Promise<Campaign.Decided>
  /** Reads and stores the status of sent rows that have no final status yet. */
  readonly reconcile: (
    campaign: string,
    options: Campaign.ReconcileOptions
  ) => Promise<Campaign.Reconciled>
  /** Returns the report of a campaign as one page of HTML. */
  readonly report: (campaign: string, options?: Campaign.ReportOptions) => Promise<string>
  /**
   * Ends all loops, waits for their requests and for the calls in flight, and closes the journal and the
   * connections to the service. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

type Services = CampaignJournal | MessagingTopup | SendJournal

/** Throws the failure itself, with the stack trace of the caller: an effect runs on a separate stack. */
// @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
const settled = async <A, E>(running: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const exit = await running
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  if (failure instanceof Error) Error.captureStackTrace?.(failure, settled)
  throw failure
}

const streamOf = (rows: Iterable<NewRow> | AsyncIterable<NewRow>): Stream.Stream<NewRow> =>
  Symbol.asyncIterator in rows
    ? Stream.orDie(Stream.fromAsyncIterable(rows, (error) => error))
    : Stream.fromIterable(rows)

/**
 * Opens campaigns for scripts without Effect. The first call opens the journal and checks the settings.
 */
export const openCampaigns = ({ baseUrl, journal, token }: OpenCampaignsOptions): Campaigns => {
  const runtime = ManagedRuntime.make(
    Layer.merge(
      Sqlite.layer(journal),
      Layer.provide(
        MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }),
        NodeTransport.layer
      )
    )
  )
  const calls = new Set<Promise<unknown>>()
  /** Each function ends one loop. */
  const loops = new Set<() => Promise<unknown>>()

  const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => {
    const call = settled(runtime.runPromiseExit(effect)).finally(() => calls.delete(call))
    calls.add(call)
    return call
  }

  /** Builds the runtime when the loop begins. */
  const loop = <A, E>(stream: Stream.Stream<A, E, Services>): AsyncIterable<A> => ({
    [Symbol.asyncIterator]: () => {
      const started = run(Effect.context<Services>()).then((context) =>
        Stream.toAsyncIterableWith(stream, context)[Symbol.asyncIterator]()
      )
      const end = (): Promise<IteratorResult<A>> => {
        loops.delete(end)
        return started.then((iterator) => iterator.return?.() ?? { done: true, value: undefined })
      }
      loops.add(end)
      return {
        next: () =>
          started
            .then((iterator) => iterator.next())
            .then((result) => {
              if (result.done === true) loops.delete(end)
              return result
            }),
        return: end
      }
    }
  })

  const close = () =>
    Promise.allSettled([...loops].map((end) => end()))
      .then(() => Promise.allSettled(calls))
      .then(() => runtime.dispose())
  return {
    run: (campaign, rows, options) => loop(Campaign.run(campaign, streamOf(rows), options)),
    resume: (campaign, options) => loop(Campaign.resume(campaign, options)),
    pause: (campaign) => run(Campaign.pause(campaign)),
    cancel: (campaign) => run(Campaign.cancel(campaign)),
    status: (campaign) => run(Campaign.status(campaign)),
    results: (campaign, filter) => loop(Campaign.results(campaign, filter)),
    resolveUnknown: (campaign, decision, filter) =>
      run(Campaign.resolveUnknown(campaign, decision, filter)),
    retryRejected: (campaign, filter) => run(Campaign.retryRejected(campaign, filter)),
    reconcile: (campaign, options) => run(Campaign.reconcile(campaign, options)),
    report: (campaign, options) => run(Campaign.report(campaign, options)),
    close,
    [Symbol.asyncDispose]: close
  }
}
