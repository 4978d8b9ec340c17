import { describe, expect, it } from "@effect/vitest"
import { forcedOutcomes, Sandbox } from "@messaging-topup/sandbox"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

const readme = readFileSync("packages/sandbox/README.md", "utf8")

describe("README of the sandbox", () => {
  it("has the current lists of forced outcomes", () => {
    // The documented errors share an entry.
    const listOf = (isAccepted: boolean) => {
      const outcomes = forcedOutcomes.filter(({ accepted }) => accepted === isAccepted)
      const alike = Map.groupBy(outcomes, ({ response }) =>
        response.replace(/^\d+ (?=with the documented)/, "that status ")
      )
      const rows = [...alike].map(([response, those]) => {
        return `- ${those.map(({ suffix }) => `\`${suffix}\``).join(", ")}: ${response}\n`
      })
      return rows.join("")
    }
    expect(readme).toContain(
      `not\naccepted:\n\n${listOf(false)}\nThe SMS is accepted:\n\n${listOf(true)}\n`
    )
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
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
      )
    expect(rows).not.toEqual([])
    const [, list = ""] = /^## Control over HTTP$([^]*?)^## /m.exec(readme) ?? []
    const named = [...list.matchAll(/^- (.*?)(?:: |$)/gm)].flatMap(([, names = ""]) => [
      ...names.matchAll(/`([^`]+)`/g)
    ])
    expect(new Set(named.map(([, row]) => row))).toEqual(new Set(rows))
    const isEmpty = (row: string) => {
      const [method = "", path = ""] = row.toLowerCase().split(" ")
      return "204" in paths[path][method].responses
    }
    const empty = [...list.matchAll(/^- `([^`]+)`.*\b204\b.*$/gm)].map(([, row]) => row)
    expect(empty).toEqual(rows.filter(isEmpty))
  })

  it("says how long a fault lasts in the words of openapi.json", async () => {
    await using sandbox = await startSandbox()
    const contract = await (await fetch(`${sandbox.baseUrl}/openapi.json`)).text()
    const [, lasts] = /^- `times` is (.*)\.$/m.exec(readme) ?? []
    const { components } = JSON.parse(contract)
    const ofFaults: ReadonlyArray<{ readonly properties: object }> = components.schemas.Fault.anyOf
    expect(ofFaults.map(({ properties }) => properties)).toEqual(
      ofFaults.map(() =>
        expect.objectContaining({ times: expect.objectContaining({ description: lasts }) })
      )
    )
  })

  it("says that the counts beside a filtered list are of all messages", async () => {
    await using sandbox = await startSandbox()
    await fetch(`${sandbox.baseUrl}/sms/send`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.token}`, "content-type": "application/json" },
      body: JSON.stringify({ recipient: "+15550100123", message: "Hello" })
    })
    const found = await fetch(`${sandbox.baseUrl}/_sandbox/messages?text=other`)
    expect(await found.json()).toEqual({ messages: [], kept: 1, accepted: 1 })
    expect(readme).toMatch(
      /`GET \/_sandbox\/messages`: .*; `kept` and `accepted` count all messages/
    )
    const { components } = JSON.parse(await (await fetch(`${sandbox.baseUrl}/openapi.json`)).text())
    const counted = { description: expect.stringMatching(/whatever the filter$/) }
    expect(components.schemas.MessagePage.properties).toMatchObject({
      kept: counted,
      accepted: counted
    })
  })

  it("names every member of Sandbox and of the handle of startSandbox", async () => {
    await using sandbox = await startSandbox()
    const [, list = ""] = /^## In programs$([^]*?)^## /m.exec(readme) ?? []
    const named = [...list.matchAll(/^- ([^:]*)/gm)].flatMap(([, names = ""]) =>
      [...names.matchAll(/(?<=`)[a-z]\w*/gi)].map(([name]) => name)
    )
    const members = await Effect.runPromise(Effect.provide(Sandbox, Sandbox.layerInProcess()))
    expect(new Set(named)).toEqual(new Set(Object.keys({ ...members, ...sandbox })))
  })
})
