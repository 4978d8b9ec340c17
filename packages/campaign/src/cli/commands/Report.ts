/**
 * `report`: writes a page of HTML for people.
 */
import { UsageError, type Values } from "@messaging-topup/sandbox/command-line"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { open } from "node:fs/promises"
import { report as pageOf } from "../../report/Report.ts"
import { exitCodes } from "../ExitCodes.ts"
import { CannotRun } from "../Failure.ts"
import type * as Flags from "../Flags.ts"
import { zoneOf } from "../Options.ts"
import { isTerminal, print, report as printResult } from "../Output.ts"
import { withJournalToRead } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

const ownerOnly = 0o600

const cannotWrite = (error: unknown): CannotRun => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
  return new CannotRun({ problem: `--out: the file cannot be written (${code})` })
}

const tryTo = <A>(write: () => Promise<A>): Effect.Effect<A, CannotRun> =>
  Effect.tryPromise({ try: write, catch: cannotWrite })

/** An existing file keeps its rights, unless the page has phone numbers. */
const save = (file: string, page: string, isPrivate: boolean): Effect.Effect<void, CannotRun> =>
  Effect.acquireUseRelease(
    tryTo(() => open(file, "w", isPrivate ? ownerOnly : undefined)),
    (opened) =>
      Effect.andThen(
        isPrivate ? tryTo(() => opened.chmod(ownerOnly)) : Effect.void,
        tryTo(() => opened.writeFile(page))
      ),
    (opened) => tryTo(() => opened.close())
  )

export const report = Effect.fnUntraced(function* ({
  campaign,
  openRecipients,
  out,
  ...input
}: CampaignInput & Values<typeof Flags.page & typeof Flags.zone>) {
  if (out === undefined && (yield* isTerminal)) {
    return yield* new UsageError({
      problem:
        "A terminal cannot show the page: give --out report.html, and open that file in a browser"
    })
  }
  const zone = yield* zoneOf(input)
  return yield* withJournalToRead(
    input,
    Effect.gen(function* () {
      const page = yield* pageOf(campaign, {
        showRecipients: openRecipients,
        timeZone: DateTime.zoneToString(zone)
      })
      if (out === undefined) {
        yield* print(page.trimEnd())
        return exitCodes.done
      }
      yield* save(out, page, openRecipients)
      yield* printResult({ event: "Report", campaign, file: out }, `${out}: open it in a browser`)
      return exitCodes.done
    })
  )
})
