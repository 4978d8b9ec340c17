/**
 * `export`: writes the journal to one file that can be moved.
 */
import type { Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { exitCodes } from "../ExitCodes.ts"
import { CannotRun } from "../Failure.ts"
import type * as Flags from "../Flags.ts"
import * as Journal from "../Journal.ts"
import { note, report } from "../Output.ts"
import type { JournalFlags } from "../Services.ts"

export const exportJournal = Effect.fnUntraced(function* ({
  journal,
  to
}: JournalFlags & Values<typeof Flags.target>) {
  const choice = yield* Effect.flatMap(Journal.choose(journal), Journal.requireExisting)
  if (choice._tag !== "Sqlite") {
    return yield* new CannotRun({
      problem:
        "export writes a journal in SQLite. For PostgreSQL use pg_dump --schema=messaging_topup_journal"
    })
  }
  if (existsSync(to)) {
    return yield* new CannotRun({ problem: `--to: ${to} exists, and is not replaced` })
  }
  const { exportTo } = yield* Effect.promise(() => import("@messaging-topup/journal/sqlite"))
  yield* exportTo(choice.file, to)
  yield* report(
    { event: "Exported", file: to },
    `${to}: the whole journal until now, with numbers and texts`
  )
  yield* note(
    "What is sent from now on is not in it: do not send with it after the journal was used again"
  )
  return exitCodes.done
})
