import { describe, expect, it } from "@effect/vitest"
import { Fault, forcedOutcomes } from "@messaging-topup/sandbox"
import { readFileSync } from "node:fs"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

const readme = read("../../packages/sandbox/README.md")

describe("README of the sandbox", () => {
  it("shows the example that the tests run", () => {
    expect(readme).toContain(read("./Example.test.ts"))
  })

  it("has the table of forced outcomes as it is", () => {
    const rows = forcedOutcomes.map(
      ({ accepted, answer, suffix }) => `| \`${suffix}\` | ${answer} | ${accepted ? "yes" : "no"} |`
    )
    expect(readme).toContain(rows.join("\n"))
  })

  it("names every fault", () => {
    for (const fault of Object.keys(Fault).filter((name) => !name.startsWith("$"))) {
      expect(readme).toContain(`| \`${fault}(`)
    }
  })
})
