import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { execPath } from "node:process"
import { DatabaseSync } from "node:sqlite"
import { alone, command, csvOf, fileOf, onSandbox, texts } from "./support/Command.ts"

/** A campaign that has been sent, and the file of its journal. */
const sent = Effect.gen(function* () {
  const { file, journal } = yield* fileOf(csvOf(3))
  yield* command(["run", file, "--yes", "--journal", journal])
  return { rows: file, journal, file: journal.replace("sqlite:", "") }
})

const status = (journal: string) => alone(["status", "--campaign", "rows", "--journal", journal])

it.live("status, failures and report do not wait for a process that writes", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* sent
    const other = new DatabaseSync(file)
    other.exec("pragma journal_mode = wal; begin immediate")
    const began = performance.now()
    for (const name of ["status", "failures", "results", "report"]) {
      const { code, stderr } = yield* alone([name, "--campaign", "rows", "--journal", journal])
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" })
    }
    expect(performance.now() - began).toBeLessThan(8_000)
    other.exec("rollback")
    other.close()
  }).pipe(onSandbox)
)

it.live("export writes one file that can be moved, while the journal is in use", () =>
  Effect.gen(function* () {
    const { file, journal, rows } = yield* sent
    const other = new DatabaseSync(file)
    other.exec("pragma journal_mode = wal; begin immediate")
    const to = join(dirname(file), "moved.sqlite")
    const args = ["export", "--to", to, "--journal", journal]
    expect(yield* alone(args)).toMatchObject({ code: 0, events: [{ event: "Exported", file: to }] })
    other.close()
    expect(yield* status(`sqlite:${to}`)).toMatchObject({ events: [{ counts: { sent: 3 } }] })
    const second = yield* command(["run", rows, "--yes", "--journal", `sqlite:${to}`])
    expect(second.code).toBe(0)
    expect(yield* texts).toHaveLength(3)
    expect(yield* alone(args)).toMatchObject({
      code: 1,
      stderr: `--to: ${to} exists, and is not replaced\n`
    })
  }).pipe(onSandbox)
)

it.live("export names pg_dump for a journal in PostgreSQL", () =>
  Effect.gen(function* () {
    const env = { MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: "postgres://user:secret@127.0.0.1:1/x" }
    const { code, stderr } = yield* alone(["export", "--to", "x", "--journal", "postgres"], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/pg_dump --schema=messaging_topup_journal\n$/)
  })
)

const guide = readFileSync(new URL("../../docs/campaigns.md", import.meta.url), "utf8")

it.live("a journal whose -wal file is lost is refused, and the guide's command opens it", () =>
  Effect.gen(function* () {
    const { file } = yield* sent
    const copy = join(dirname(file), "journal-copy.sqlite")
    const other = new DatabaseSync(file)
    other.exec("pragma journal_mode = wal; create table t (x)")
    copyFileSync(file, copy)
    other.close()
    for (const args of [["status"], ["resume"], ["failures"]]) {
      const { code, stderr } = yield* command([
        ...args,
        "--campaign",
        "rows",
        "--journal",
        `sqlite:${copy}`
      ])
      expect(code).toBe(1)
      expect(stderr).toContain("its -wal file is missing")
    }
    const [, line = ""] = /```sh\n(node -e .*)\n```/.exec(guide) ?? []
    expect(line).toContain("messaging-topup-campaign.sqlite")
    const ran = spawnSync(
      "sh",
      ["-c", line.replace("messaging-topup-campaign.sqlite", basename(copy))],
      {
        cwd: dirname(copy),
        env: { PATH: `${dirname(execPath)}:${process.env["PATH"]}`, NODE_NO_WARNINGS: "1" },
        encoding: "utf8"
      }
    )
    expect(ran).toMatchObject({ status: 0, stderr: "" })
    expect(yield* status(`sqlite:${copy}`)).toMatchObject({ code: 0 })
    expect(readdirSync(dirname(copy)).filter((name) => name.startsWith("journal-copy"))).toEqual([
      basename(copy)
    ])
  }).pipe(onSandbox)
)
