/**
 * Opens the journal of a program. Its code is loaded then, so that a program which opens it later starts sooner.
 */
import "@messaging-topup/core/internal/node"
import type { ConfigurationError } from "@messaging-topup/core/internal/errors"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { JournalError } from "./model/Errors.ts"
import { openNamed, placeOf } from "./Place.ts"
import type { SendJournal } from "./sends/SendJournal.ts"

/**
 * The journal at a place: a file on this machine; `memory`; or the URL of a PostgreSQL database, which begins with
 * `postgres://` and needs the package `@effect/sql-pg`. Without an argument: what `MESSAGING_TOPUP_JOURNAL` says, or a
 * file of this user, which the command and the MCP server have, too.
 *
 * If there is no journal, it is created, and the log says so.
 *
 * Open it once for a process. A journal for each request sends nothing twice, but is slow: with hundreds at once, calls
 * end as `JournalLocked` or with an unknown outcome.
 *
 * Errors: `ConfigurationError` for what is no place, and the errors of the journal. None contains the URL of a
 * database.
 */
export const layer = (
  ...place: readonly [] | readonly [place: string]
): Layer.Layer<SendJournal, ConfigurationError | JournalError> =>
  Layer.unwrap(
    Effect.suspend(() =>
      Effect.fromResult(
        Result.map(placeOf(place), (location) => openNamed(location, Effect.logInfo))
      )
    )
  )
