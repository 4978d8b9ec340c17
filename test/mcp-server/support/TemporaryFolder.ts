/**
 * Temporary folders, which are removed after the test or after all tests of the file.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, onTestFinished } from "vitest"

const made = (parent = tmpdir()) => mkdtempSync(join(parent, "messaging-topup-test-"))

/** In memory, where the platform has such a folder: most of the time of a small write is the disk's. */
export const fastestFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** For one test. */
export const temporaryFolder = (parent?: string): string => {
  const path = made(parent)
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** For all tests of the file that calls it. */
export const folderOfFile = (): string => {
  const path = made()
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
