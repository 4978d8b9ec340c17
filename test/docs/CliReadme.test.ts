import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { alone, command, csvOf, fileOf, onSandbox, texts } from "../harness/campaign/Command.ts"

const readme = readFileSync("packages/cli/README.md", "utf8")
const guide = readFileSync("docs/campaigns.md", "utf8")

it.live("the commands of the README and of the guide end with exit code 0", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(3))
    const lines = [...`${readme}\n${guide}`.matchAll(/^npx messaging-topup ([^#\n]*)/gm)]
    expect(lines.length).toBeGreaterThan(8)
    for (const [, line = ""] of lines) {
      const args = line
        .trim()
        .replace(/ > .*$/, "")
        .replace("list.csv", file)
        .split(" ")
      const out = args.indexOf("--out")
      if (out !== -1) args.splice(out, 2)
      const answers = ["run", "resolve"].includes(args[0] ?? "") ? ["--yes"] : []
      const { code } = yield* command([...args, ...answers, "--journal", journal])
      expect(`${line.trim()}: ${code}`).toBe(`${line.trim()}: 0`)
    }
    expect(yield* texts).toHaveLength(3)
  }).pipe(onSandbox)
)

it.live("the README has every option of the commands", () =>
  Effect.gen(function* () {
    for (const name of ["run", "results", "report", "resolve", "prune"]) {
      const { stdout } = yield* alone([name, "--help"])
      const options = stdout.match(/^ {2}--[\w-]+/gm)?.map((option) => option.trim()) ?? []
      expect(options.length).toBeGreaterThan(2)
      expect(
        options.filter((option) => !readme.includes(option) && !/help|version/.test(option))
      ).toEqual([])
    }
  })
)
