/**
 * Temporary folders, which are removed after the test, the file of tests or the scope.
 */
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, onTestFinished } from "vitest"

const made = (parent: string) => mkdtempSync(join(parent, "messaging-topup-test-"))

const remove = (path: string) => rmSync(path, { recursive: true, force: true })

/** In memory, where the platform has such a folder: most of the time of a small write is the disk's. */
const fastest = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** Until it is disposed of. */
export const disposableFolder = () => {
  const path = made(fastest)
  return { path, [Symbol.dispose]: () => remove(path) }
}

/** For one test. */
export const temporaryFolder = (): string => {
  const path = made(fastest)
  onTestFinished(() => remove(path))
  return path
}

/** For all tests of the file that calls it. */
export const folderOfFile = (): string => {
  const path = made(tmpdir())
  afterAll(() => remove(path))
  return path
}

/** Until the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => made(fastest)),
  (path) => Effect.sync(() => remove(path))
)

/** The path of a journal that does not exist yet. */
export const journalFile = Effect.map(folder, (path) => join(path, "journal.db"))
