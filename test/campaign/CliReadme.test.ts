import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { onSandboxIn } from "../support/Programs.ts"
import { folder } from "../journal/support/Files.ts"
import { alone, command, csvOf, fileOf, onSandbox, texts } from "./support/Command.ts"

const readme = readFileSync("packages/campaign/README.md", "utf8")

it.live("the program of the README sends each row once, even if it runs again", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const run = onSandboxIn(path, join(process.cwd(), "test/campaign/programs/campaign.ts"))
    expect(yield* run).toMatchObject({ code: 0, stderr: "" })
    expect(yield* run).toMatchObject({ code: 0 })
    expect(yield* texts).toHaveLength(100)
  }).pipe(onSandbox)
)

it.live("the commands of the README and of the guide end with exit code 0", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(3))
    const documents = `${readme}\n${readFileSync("docs/campaigns.md", "utf8")}`
    const lines = [...documents.matchAll(/^npx messaging-topup-campaign (?!export)([^#>\n]*)/gm)]
    const codes = yield* Effect.forEach(lines, ([, line = ""]) => {
      const args = line.trim().replace("rows.csv", file).split(" ")
      const more = [
        ...(args[0] === "run" ? ["--yes"] : []),
        ...(args[0] === "preview" ? [] : ["--journal", journal])
      ]
      return Effect.map(command([...args, ...more]), ({ code }) => code)
    })
    expect(codes).toEqual(Array(11).fill(0))
    expect(yield* texts).toHaveLength(3)
  }).pipe(onSandbox)
)

it.live("the README has every option of these commands", () =>
  Effect.gen(function* () {
    for (const name of [
      "preview",
      "run",
      "resume",
      "failures",
      "resolve-unknown",
      "retry",
      "reconcile",
      "report"
    ]) {
      const { stdout } = yield* alone([name, "--help"])
      const options = stdout.match(/^ {2}--[\w-]+/gm)?.map((option) => option.trim()) ?? []
      expect(options.length).toBeGreaterThan(2)
      expect(
        options.filter((option) => !readme.includes(option) && !/help|version/.test(option))
      ).toEqual([])
    }
  })
)
