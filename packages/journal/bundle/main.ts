/**
 * Bundles `openJournal` for publication, so that a script installs neither Effect nor a driver. PostgreSQL is a
 * file of its own, which loads when it is used. The error classes stay outside: those of core and of the
 * journal are the same in all entries.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { bundleLibrary } from "../../core/bundle/Library.ts"

const at = (path: string): string => join(import.meta.dirname, path)

const folder = at("../dist/bundle")

/**
 * The modules of error classes, and what the published files import in their place. `Errors.ts` of core is one of them:
 * how an error is yielded is added to the classes once, by core and with the program's own Effect. Nothing in this bundle
 * yields an error.
 */
const outside = {
  "core/src/errors/": "@messaging-topup/core/internal/errors",
  "core/src/Errors.ts": "@messaging-topup/core/internal/errors",
  "core/src/InternalErrors.ts": "@messaging-topup/core/internal/errors",
  "core/src/NodeVersion.ts": "@messaging-topup/core/internal/node",
  "journal/src/model/Errors.ts": "../model/Errors.js"
}

rmSync(folder, { recursive: true, force: true })
await bundleLibrary(
  { folder, outside },
  {
    input: at("../src/OpenJournal.ts"),
    output: { dir: folder, entryFileNames: "[name].js", chunkFileNames: "[name].js" }
  }
)

// The compiler's output of what the bundle replaces.
for (const name of ["OpenJournal.js", "OpenJournal.js.map"]) {
  rmSync(at(`../dist/${name}`), { force: true })
}
