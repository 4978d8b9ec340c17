/**
 * What the command shows, as a person reads it: vitest's `--update` writes the transcripts anew.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { transcriptOf } from "../harness/campaign/CommandTranscript.ts"

it.live.each(["run", "after", "files"])("the transcript %s.txt is what happens", (name) =>
  Effect.gen(function* () {
    const file = join(import.meta.dirname, `transcripts/${name}.txt`)
    const now = yield* transcriptOf(file)
    yield* Effect.promise(() => expect(now).toMatchFileSnapshot(file))
  })
)
