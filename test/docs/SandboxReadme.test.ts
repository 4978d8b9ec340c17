import { describe, expect, it } from "@effect/vitest"
import { forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

const readme = readFileSync("packages/sandbox/README.md", "utf8")

describe("README of the sandbox", () => {
  it("has the current table of forced outcomes", () => {
    const rows = forcedOutcomes.map(
      ({ accepted, response, suffix }) =>
        `| \`${suffix}\` | ${response} | ${accepted ? "yes" : "no"} |`
    )
    expect(readme).toContain(rows.join("\n"))
  })

  it("says of every fault what the form in the inbox says", async () => {
    await using sandbox = await startSandbox()
    const page = await (await fetch(sandbox.baseUrl)).text()
    const rows = [...readme.matchAll(/^\| `\{"fault":"(\w+)".*?` \| (.*) \| (.*) \|$/gm)]
    const names = rows.map(([, name]) => name)
    const offered = [...page.matchAll(/<option value="(\w+)"/g)].map(([, name]) => name)
    expect(names).toEqual(offered)
    const text = page.replaceAll(/\s+/g, " ").replaceAll("&quot;", '"')
    for (const [, , response = "", accepted = ""] of rows) {
      const words = accepted.replaceAll("`", "")
      expect(text).toContain(`The client sees ${response}. SMS accepted: ${words}.`)
    }
  })

  it("names every endpoint that is not one of the service", async () => {
    await using sandbox = await startSandbox()
    const response = await fetch(`${sandbox.baseUrl}/openapi.json`)
    const { paths } = JSON.parse(await response.text())
    const rows = Object.entries<object>(paths)
      .filter(([path]) => /^\/(_sandbox|healthz)/.test(path))
      .flatMap(([path, item]) =>
        Object.keys(item).map((method) => `| \`${method.toUpperCase()} ${path}\` |`)
      )
    expect(rows).toHaveLength(10)
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
