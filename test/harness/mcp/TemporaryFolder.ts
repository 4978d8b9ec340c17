/**
 * Temporary folders, which are removed after the test or after all tests of the file.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, onTestFinished } from "vitest"

const made = (parent: string) => mkdtempSync(join(parent, "messaging-topup-test-"))

/** In memory, where the platform has such a folder: most of the time of a small write is the disk's. */
const fastest = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** For one test. */
export const temporaryFolder = (): string => {
  const path = made(fastest)
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** For all tests of the file that calls it. */
export const folderOfFile = (): string => {
  const path = made(tmpdir())
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
