/** Bundles the command: what each of its published files has. */
import { join } from "node:path"
import type { OutputChunk } from "rolldown"
import { bundleProgram, type Files } from "../../command/bundle/ProgramBundle.ts"

const at = (path: string): string => join(import.meta.dirname, path)

const files: Files = {
  // All that --help needs. Each command is a file of its own.
  commands: ["cli/src/Commands.ts"],
  // Files below share the last ones. In one of them, the others would load that.
  store: [
    "cli/src/Events.ts",
    "cli/src/input/Recipient.ts",
    "cli/src/journal/ChosenJournal.ts",
    "cli/src/journal/ShownSends.ts",
    "cli/src/journal/Unlisted.ts",
    "cli/src/words/",
    "journal/src/sends/JournalLayer.ts",
    "journal/src/database/SqliteDatabase.ts",
    "core/src/transport/TimedRequest.ts",
    "core/src/transport/Wire.ts",
    "core/src/SmsText.ts",
    "core/src/NodeVersion.ts",
    "sandbox/src/Html.ts",
    "effect/dist/Path.js"
  ],
  lists: ["cli/src/input/List.ts", "cli/src/results/"],
  undici: ["core/src/transport/NodeTransport.ts"],
  service: ["cli/src/run/MessagingService.ts"],
  postgres: ["journal/src/database/PostgresDatabase.ts", "@effect/sql-pg/"],
  mock: ["sandbox/src/"],
  phone: ["cli/src/input/PhoneNumber.ts"]
}

/** Replaces `outdir` with the published files, and returns what went into each of them. */
export const bundle = (outdir: string): Promise<ReadonlyArray<OutputChunk>> =>
  bundleProgram(at("../src/main.ts"), { outdir, files })
