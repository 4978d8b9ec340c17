import { describe, expect, it } from "@effect/vitest"
import { type Fault, forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import { SandboxApi } from "@messaging-topup/sandbox/api"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

const readme = readFileSync("packages/sandbox/README.md", "utf8")

const { control, health } = SandboxApi.groups

describe("README of the sandbox", () => {
  it("has the current table of forced outcomes", () => {
    const rows = forcedOutcomes.map(
      ({ accepted, response, suffix }) =>
        `| \`${suffix}\` | ${response} | ${accepted ? "yes" : "no"} |`
    )
    expect(readme).toContain(rows.join("\n"))
  })

  it("names every fault", () => {
    // A constructor for each: a list of them exists for the compiler only.
    const faults: Record<Fault["fault"], true> = {
      Response: true,
      Redirect: true,
      ConnectionRefused: true,
      ResetBeforeAcceptance: true,
      ResetAfterAcceptance: true,
      NoResponse: true,
      HeadersThenSilence: true,
      EndlessBody: true,
      BodyCutOff: true,
      TruncatedJson: true,
      WrongContentType: true,
      OversizedBody: true
    }
    for (const fault of Object.keys(faults)) expect(readme).toContain(`| \`${fault}(`)
  })

  it("names every control endpoint of the contract", () => {
    const rows = [control, health].flatMap(({ endpoints }) =>
      Object.values(endpoints).map(
        ({ method, path }) => `| \`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\` |`
      )
    )
    expect(rows).toHaveLength(13)
    for (const row of rows) expect(readme).toContain(row)
  })

  it("names every member of Sandbox and of the handle of startSandbox", async () => {
    await using sandbox = await startSandbox()
    const [, effects = "", promises = ""] = readme.split(
      /^\| `(?:Sandbox|startSandbox\(options\))` \| \|$/m
    )
    const members = await Effect.runPromise(Effect.provide(Sandbox, Sandbox.layerInProcess()))
    for (const member of Object.keys(members)) expect(effects).toMatch(new RegExp(`\`${member}\\b`))
    for (const member of Object.keys(sandbox))
      expect(promises).toMatch(new RegExp(`\`${member}\\b`))
  })
})
