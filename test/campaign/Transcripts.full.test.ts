/**
 * Longer stories of the command: `told` has what a run tells before it sends, `corrected` lists that are corrected between
 * their runs. Vitest's `--update` writes them anew.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { transcriptOf } from "../harness/campaign/CommandTranscript.ts"

it.live.each(["told", "corrected"])("the transcript %s.txt is what happens", (name) =>
  Effect.gen(function* () {
    const file = join(import.meta.dirname, `transcripts/${name}.txt`)
    const now = yield* transcriptOf(file)
    yield* Effect.promise(() => expect(now).toMatchFileSnapshot(file))
  })
)
