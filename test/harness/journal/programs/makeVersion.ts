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
  const name = `${versionOf(file)}.sql`
  // A journal with this number is somebody's already.
  if (versions.includes(name)) {
    return yield* Effect.die(`${name} is there: raise the version in Schema.ts`)
  }
  // Until the first release, there is one version.
  for (const old of versions) rmSync(join(versionsFolder, old))
  writeFileSync(join(versionsFolder, name), dumpOf(file))
})

await program.pipe(Effect.scoped, Effect.provide(upstream), Effect.runPromise)
