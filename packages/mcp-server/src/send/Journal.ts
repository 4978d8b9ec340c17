/** The journal of the guards: it is opened when it is first used, and the log says when it cannot be used. */
import { MessagingTopup } from "@messaging-topup/core"
import type { JournalError } from "@messaging-topup/journal"
import {
  type JournalLocation,
  nameOf,
  open as openJournal,
  SendJournal
} from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { nothingSent, Refusal } from "./Refusal.ts"

/** Nothing is sent without the journal: a send that is not stored before its request could go out twice. */
const journalUnavailable = ({ message }: { readonly message: string }): Refusal =>
  new Refusal({
    code: "journal_unavailable",
    outcome: "unknown",
    ...nothingSent(
      "this server could not read or write what it remembers of sends. Whether an earlier call sent the same SMS is not known"
    ),
    next: `Tell the person who runs the server. ${message}.`,
    concernsAll: true
  })

/** Without its code: a database that stops can have several. */
const reasonOf = (error: JournalError): string =>
  error._tag === "JournalUnavailable" ? error.problem : error._tag

/** A use of the journal. */
type Query<A, R> = (journal: typeof SendJournal.Service) => Effect.Effect<A, JournalError, R>

interface JournalOptions {
  readonly location: JournalLocation
  /** Defaults to the journal at the location. */
  readonly journal?: Layer.Layer<SendJournal, JournalError>
}

export class Journal extends Context.Service<
  Journal,
  {
    /** Whether the operator can decide about its sends: of one in memory, another process sees nothing. */
    readonly canDecide: boolean
    /** Since when one in memory remembers, in milliseconds since 1970. Absent of one that a restart does not empty. */
    readonly since?: number | undefined
    /** Uses the journal. Nothing is sent if it is not available. */
    readonly use: <A, R = never>(query: Query<A, R>) => Effect.Effect<A, Refusal, R>
    /** Opens the journal, and returns whether it can be written. The result holds for a second. */
    readonly isReady: Effect.Effect<boolean>
  }
>()("@messaging-topup/mcp-server/send/Journal") {
  static readonly layer = (options: JournalOptions): Layer.Layer<Journal, never, MessagingTopup> =>
    Layer.effect(Journal, make(options))
}

/** Anybody may ask whether it can be written, and each answer costs a write. */
const readyFor = "1 second"

const make = Effect.fnUntraced(function* ({
  location,
  journal = openJournal(location, (note) => Effect.logInfo("journal created", { note }))
}: JournalOptions) {
  const service = yield* MessagingTopup
  const since = location._tag === "Memory" ? yield* Clock.currentTimeMillis : undefined
  const journalScope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  // A shutdown does not wait for a database that does not respond.
  const openingScope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
  const opening = Layer.buildWithScope(journal, journalScope).pipe(
    Effect.map((context) => Context.get(context, SendJournal)),
    Effect.forkIn(openingScope),
    Effect.flatMap(Fiber.join)
  )
  // Uninterruptible, because it must not be opened a second time while an abandoned call still opens it.
  const open = Effect.uninterruptible(
    // After a failure to open it, the next use opens it again.
    yield* Effect.cachedWithTTL(opening, (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0))
  )
  const place = nameOf(location)
  /** Why it is not available. */
  let reason: string | undefined

  const say = (now: typeof reason, line: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (reason === now) return Effect.void
      reason = now
      return line
    })

  const queried = <A, R>(query: Query<A, R>) =>
    Effect.flatMap(open, query).pipe(
      Effect.tapError((error) =>
        say(
          reasonOf(error),
          Effect.logError("journal unavailable: nothing is sent", {
            journal: place,
            problem: error.message
          })
        )
      )
    )

  const isReady = yield* queried(({ check }) => check(reason !== undefined)).pipe(
    Effect.provideService(MessagingTopup, service),
    Effect.tap(() => say(undefined, Effect.logInfo("journal available again", { journal: place }))),
    // Also false if the journal is closed in the meantime, which is a defect.
    Effect.exit,
    Effect.map(Exit.isSuccess),
    (ready) => Effect.cachedWithTTL(ready, readyFor)
  )

  return Journal.of({
    canDecide: since === undefined,
    since,
    use: (query) =>
      // First: nothing is told of what went to another address, nor of what an older copy lacks.
      queried((opened) =>
        Effect.andThen(Effect.provideService(opened.usable, MessagingTopup, service), query(opened))
      ).pipe(
        // What only reads succeeds on a full disk too: only a write shows that it works again.
        Effect.tap(() =>
          reason === undefined ? Effect.void : Effect.forkIn(isReady, openingScope)
        ),
        Effect.mapError(journalUnavailable)
      ),
    isReady
  })
})
