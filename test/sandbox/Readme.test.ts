import { describe, expect, it } from "@effect/vitest"
import { Fault, forcedOutcomes } from "@messaging-topup/sandbox"
import { readFileSync } from "node:fs"

const readme = readFileSync("packages/sandbox/README.md", "utf8")

describe("README of the sandbox", () => {
  it("has the table of forced outcomes as it is", () => {
    const rows = forcedOutcomes.map(
      ({ accepted, response, suffix }) =>
        `| \`${suffix}\` | ${response} | ${accepted ? "yes" : "no"} |`
    )
    expect(readme).toContain(rows.join("\n"))
  })

  it("names every fault", () => {
    for (const fault of Object.keys(Fault).filter((name) => !name.startsWith("$"))) {
      expect(readme).toContain(`| \`${fault}(`)
    }
  })
})
