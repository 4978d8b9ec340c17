/**
 * Where campaigns are kept. Each driver is loaded only where it is used.
 */
import type { CampaignJournal, JournalError, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import { CannotRun, UsageError } from "./Failure.ts"
import { Invocation } from "./Invocation.ts"

export const defaultFile = "./messaging-topup-campaign.sqlite"
export const addressVariable = "MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL"

export type JournalChoice =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly file: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

const sqlite = "sqlite:"

/** What `--journal` says, if it is given. */
export const choose = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  otherwise: JournalChoice = { _tag: "Sqlite", file: defaultFile }
): Effect.fn.Return<JournalChoice, UsageError, Invocation> {
  if (Option.isNone(given)) return otherwise
  const { value } = given
  if (value.startsWith(sqlite) && value.length > sqlite.length) {
    return { _tag: "Sqlite", file: value.slice(sqlite.length) }
  }
  if (value !== "postgres") {
    // Not repeated: it may be an address with a password.
    return yield* new UsageError({
      problem: `--journal: give sqlite:FILE, or postgres with the address in ${addressVariable}`
    })
  }
  const { environment } = yield* Invocation
  const url = environment[addressVariable] ?? ""
  return url === ""
    ? yield* new UsageError({ problem: `--journal postgres: ${addressVariable} is not set` })
    : { _tag: "Postgres", url: Redacted.make(url) }
})

/** A path that is mistyped must not become a new and empty journal. */
export const existing = (choice: JournalChoice): Effect.Effect<JournalChoice, CannotRun> =>
  choice._tag === "Sqlite" && !existsSync(choice.file)
    ? Effect.fail(new CannotRun({ problem: `There is no journal ${choice.file}: check --journal` }))
    : Effect.succeed(choice)

/** As a line to copy names it; nothing for the default. */
export const argsOf = (choice: JournalChoice): ReadonlyArray<string> => {
  switch (choice._tag) {
    case "Memory":
      return []
    case "Sqlite":
      return choice.file === defaultFile ? [] : ["--journal", `${sqlite}${choice.file}`]
    case "Postgres":
      return ["--journal", "postgres"]
  }
}

type Journal = CampaignJournal | SendJournal

const driverMissing = () =>
  new UsageError({
    problem: "--journal postgres needs the package @effect/sql-pg: npm install @effect/sql-pg"
  })

export const layer = (choice: JournalChoice): Layer.Layer<Journal, JournalError | UsageError> => {
  switch (choice._tag) {
    case "Memory":
      return Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@messaging-topup/journal")),
          ({ layerMemory }) => layerMemory
        )
      )
    case "Sqlite":
      return Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@messaging-topup/journal/sqlite")),
          (Sqlite) => Sqlite.layer(choice.file)
        )
      )
    case "Postgres":
      return Layer.unwrap(
        Effect.map(
          Effect.tryPromise({ try: () => import("./PostgresJournal.ts"), catch: driverMissing }),
          (Postgres) => Postgres.layer(choice.url)
        )
      )
  }
}
