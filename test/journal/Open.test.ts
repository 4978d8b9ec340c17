import { describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal/internal"
import { type JournalLocation, locate, open } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../harness/TemporaryFolder.ts"
import { start } from "../harness/journal/Programs.ts"

const campaigns = (location: JournalLocation) =>
  Effect.flatMap(SendJournal, (journal) =>
    Effect.andThen(journal.campaigns.begin("c"), journal.campaigns.find("c"))
  ).pipe(Effect.provide(open(location)))

const secret = "postgres://user:secret@db.example/app"

const variable = "MESSAGING_TOPUP_JOURNAL"

const mounted = `${variable}_MUST_BE_MOUNTED`

/** Where it is by `--journal` and the variables: a file, `memory`, a URL, or a problem. */
const placed = (given: string | undefined, environment: Readonly<Record<string, string>>) =>
  Result.match(locate(given, environment), {
    onFailure: (problem) => `problem: ${problem}`,
    onSuccess: (found) => {
      if (found._tag === "Sqlite") return found.file
      return found._tag === "Memory" ? "memory" : Redacted.value(found.url)
    }
  })

const wrong = /^problem: .*(path of a file|postgres)/

describe("where a journal is, by option and variable", () => {
  it.each([
    ["a.sqlite", { [variable]: "b.sqlite" }, "a.sqlite"],
    ["memory", {}, "memory"],
    [undefined, { [variable]: "/b c/d.sqlite" }, "/b c/d.sqlite"],
    [undefined, { [variable]: "memory" }, "memory"],
    [undefined, { [variable]: secret }, secret],
    ["postgres", { [variable]: secret }, secret],
    ["postgres", { [variable]: "b.sqlite" }, wrong],
    ["postgres", {}, wrong],
    // Other users of the machine see arguments.
    [secret, {}, wrong],
    ["sqlite:a.sqlite", {}, wrong],
    [undefined, { [variable]: "sqlite:a.sqlite" }, wrong],
    [undefined, { [variable]: "mysql://user:secret@db.example/app" }, wrong],
    ["", {}, wrong],
    [undefined, { [variable]: "a", [`${variable}_FILE`]: "b" }, /both are set/],
    [undefined, { [`${variable}_FILE`]: "/no/such/file" }, /\/no\/such\/file cannot be read/],
    // As an image sets it. A test cannot mount a folder, but the system has one.
    [
      undefined,
      { [variable]: "/tmp/x/y.sqlite", [mounted]: "true" },
      /nothing is mounted at .tmp.x/
    ],
    [undefined, { [variable]: "/proc/y.sqlite", [mounted]: "true" }, "/proc/y.sqlite"],
    [undefined, { HOME: "/tmp", [mounted]: "true" }, /nothing is mounted at .*messaging-topup/],
    [undefined, { MESSAGING_TOPUP_MCP_STATE: "sqlite:a" }, /^problem: MESSAGING_TOPUP_MCP_STATE: /],
    [
      "a",
      { MESSAGING_TOPUP_MCP_STATE_URL_FILE: "a" },
      /^problem: .*_STATE_URL_FILE: .*JOURNAL says/
    ],
    ["a", { MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: secret }, /^problem: .*_POSTGRES_URL: /]
  ])("%s, %j", (given, environment, expected) => {
    const found = placed(given, environment)
    if (typeof expected === "string") return expect(found).toBe(expected)
    expect(found).toMatch(expected)
    expect(found).not.toContain("secret")
  })

  it.effect("a file that a variable names has it, too; without any, it is one of this user", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "url"), `${secret}\n`)
      expect(placed(undefined, { [`${variable}_FILE`]: join(path, "url") })).toBe(secret)
      const state = { XDG_STATE_HOME: path, LOCALAPPDATA: path, HOME: path, [variable]: "" }
      const file = placed(undefined, state)
      expect(file.startsWith(path)).toBe(true)
      expect(file.endsWith(join("messaging-topup", "journal.sqlite"))).toBe(true)
    })
  )
})

describe("a journal opened by its location", () => {
  it.effect("is in memory", () =>
    Effect.gen(function* () {
      expect(yield* campaigns({ _tag: "Memory" })).toBeDefined()
    })
  )

  it.effect("is a file, in a folder that is created for its owner only", () =>
    Effect.gen(function* () {
      const outer = join(yield* folder, "a")
      const location = { _tag: "Sqlite", file: join(outer, "b", "journal.db") } as const
      yield* campaigns(location)
      expect(yield* campaigns(location)).toBeDefined()
      for (const path of [outer, join(outer, "b")]) expect(statSync(path).mode & 0o777).toBe(0o700)
    })
  )

  it.effect("is refused if its folder cannot be created", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(campaigns({ _tag: "Sqlite", file: "/dev/null/journal.db" }))
      expect(error).toMatchObject({ _tag: "JournalUnavailable" })
    })
  )

  it.live("names the package to install if the driver of PostgreSQL is missing", () =>
    Effect.gen(function* () {
      const { nextLine } = yield* start("withoutDriver.ts")
      expect(JSON.parse(yield* Effect.promise(nextLine))).toMatchObject({
        problem: "driver-missing",
        message: expect.stringContaining("npm install @effect/sql-pg")
      })
    })
  )
})
