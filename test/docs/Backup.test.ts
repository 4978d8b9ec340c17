/** The line of the page that makes a backup of a journal in use, as cron runs it: in a shell, in any folder. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { alone } from "../harness/Command.ts"
import { folder } from "../harness/TemporaryFolder.ts"

const page = readFileSync("docs/operation.md", "utf8")
const [, line = "no line"] = /`([^`]*sqlite3 [^`]+)`/.exec(page) ?? []

const hasShell = spawnSync("sqlite3", ["--version"]).status === 0

it.live(
  "the line of the page backs a journal up, and without one it fails and makes no file",
  (context) => {
    context.skip(!hasShell, "needs sqlite3")
    return Effect.gen(function* () {
      const cwd = yield* folder
      const journal = join(cwd, "journal.sqlite")
      const backups = () => readdirSync(cwd).filter((name) => name.startsWith("backup"))
      const backUp = () => spawnSync("sh", ["-c", line], { cwd, encoding: "utf8" })
      expect(backUp()).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("unable to open")
      })
      expect(readdirSync(cwd)).toEqual([])
      expect((yield* alone(["init", "--yes", "--journal", journal])).code).toBe(0)
      expect(backUp()).toMatchObject({ status: 0, stderr: "" })
      // The next night has another name. In a crontab, a % would end the line.
      expect(backups()).toEqual([expect.stringMatching(/^backup-\d{4}-\d\d-\d\d\.sqlite$/)])
      expect(line).not.toContain("%")
      const backup = join(cwd, ...backups())
      expect(statSync(backup).mode & 0o077, "what others may do with it").toBe(0)
      expect((yield* alone(["sends", "--journal", backup])).code).toBe(0)
    }).pipe(Effect.scoped)
  }
)
