/**
 * Temporary folders, which are removed after the test or after all tests of the file.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, onTestFinished } from "vitest"

const made = () => mkdtempSync(join(tmpdir(), "messaging-topup-test-"))

/** For one test. */
export const temporaryFolder = (): string => {
  const path = made()
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** For all tests of the file that calls it. */
export const folderOfFile = (): string => {
  const path = made()
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
