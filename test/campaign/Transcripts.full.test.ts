/**
 * What the command shows of lists that are corrected between their runs: long stories, of which `after` has each command.
 * Vitest's `--update` writes them anew.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { transcriptOf } from "../harness/campaign/CommandTranscript.ts"

it.live("the transcript corrected.txt is what happens", () =>
  Effect.gen(function* () {
    const file = join(import.meta.dirname, "transcripts/corrected.txt")
    const now = yield* transcriptOf(file)
    yield* Effect.promise(() => expect(now).toMatchFileSnapshot(file))
  })
)
