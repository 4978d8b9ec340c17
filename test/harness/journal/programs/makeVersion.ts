/**
 * Writes `test/journal/versions/<version>.sql`, which is compared with what is stored now. Run it after a change of what is
 * stored, and of the version in `Schema.ts`:
 * `npx -y pnpm@12 exec node test/harness/journal/programs/makeVersion.ts`.
 */
import * as Effect from "effect/Effect"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { journalFile } from "../../TemporaryFolder.ts"
import { dumpOf, makeVersion, upstream, versionOf, versions, versionsFolder } from "../Versions.ts"

const program = Effect.gen(function* () {
  const file = yield* journalFile
  yield* makeVersion(file)
  const version = versionOf(file)
  // Until the first release, there is one version.
  for (const name of versions) rmSync(join(versionsFolder, name))
  writeFileSync(join(versionsFolder, `${version}.sql`), dumpOf(file))
})

await program.pipe(Effect.scoped, Effect.provide(upstream), Effect.runPromise)
