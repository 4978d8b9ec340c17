import { options, variables } from "@messaging-topup/mcp-server/src/Options.ts"
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fill } from "../../docs/generated.ts"
import { blocksOf, entriesOf, isStdio, reference } from "./support/HostBlocks.ts"
import { packageName } from "./support/StubPrograms.ts"

const document = "docs/hosts.md"
const content = readFileSync(document, "utf8")
const blocks = blocksOf(document)
const [opening = "", ...parts] = content.split(/^## /m)

const sections = parts.map((part) => {
  const [title = ""] = part.split("\n", 1)
  return { title, text: part }
})

const ofNoHost = new Set([
  "What the blocks set",
  "From a clone",
  "Over HTTP",
  "Which hosts can ask a person",
  "Troubleshooting",
  "In the Inspector"
])

const hosts = sections.filter(({ title }) => !ofNoHost.has(title))

it("the table of contents links every section, and nothing else", () => {
  const links = [...opening.matchAll(/\[([^\]]+)\]\(#([\w-]+)\)/g)]
  expect(links.map(([, title]) => title)).toEqual(
    expect.arrayContaining(sections.map(({ title }) => title))
  )
  for (const [, title = "", anchor] of links) {
    expect(anchor).toBe(title.toLowerCase().replaceAll(" ", "-"))
  }
  expect(links).toHaveLength(sections.length)
})

describe.each(hosts)("the section of $title", ({ text, title }) => {
  it("names the pages that it was checked against, and the month", () => {
    expect(text).toMatch(/^Checked 2026-11 against \[[^\]]+\]\(https:\/\//m)
  })

  it("has a block for stdio, and one for HTTP or the reason why there is none", () => {
    const entries = blocks.filter(({ section }) => section === title).flatMap(entriesOf)
    const overHttp = entries.filter((entry) => !isStdio(entry))
    expect(entries.length).toBeGreaterThan(overHttp.length)
    expect(text).toMatch(overHttp.length > 0 ? /^HTTP:$/m : /^HTTP: .{20}/m)
  })
})

/** The syntax of references by host, as its documentation says. All other hosts have no references. */
const forms: Readonly<Record<string, RegExp>> = {
  "Claude Code": /^\$\{[A-Z_]+\}$/,
  "VS Code": /^\$\{(input:\w+|workspaceFolder)\}$/,
  Cursor: /^\$\{env:[A-Z_]+\}$/,
  Windsurf: /^\$\{env:[A-Z_]+\}$/,
  "Gemini CLI": /^\$\{[A-Z_]+\}$/,
  "GitHub Copilot CLI": /^\$\{[A-Z_]+\}$/
}

it.each(hosts)("the blocks of $title write references as that host reads them", ({ title }) => {
  const texts = blocks
    .filter(({ language, section }) => section === title && language !== "text")
    .map(({ text }) => text)
  const found = texts.flatMap((text) => text.match(reference) ?? [])
  const form = forms[title]
  if (form === undefined) expect(found).toEqual([])
  else for (const each of found) expect(each).toMatch(form)
  expect(found.length > 0).toBe(form !== undefined)
})

describe("a link", () => {
  const fromBase64 = (link: string): unknown => {
    const { searchParams } = new URL(link)
    const config = Buffer.from(searchParams.get("config") ?? "", "base64").toString("utf8")
    return { name: searchParams.get("name"), ...JSON.parse(config) }
  }

  const fromQuery = (link: string): unknown =>
    JSON.parse(decodeURIComponent(link.slice(link.indexOf("?") + 1)))

  const decoders: Readonly<Record<string, (link: string) => unknown>> = {
    "vscode:mcp/install": fromQuery,
    "vscode-insiders:mcp/install": fromQuery,
    "cursor://anysphere.cursor-deeplink/mcp/install": fromBase64,
    "lmstudio://add_mcp": fromBase64
  }

  const links = blocks
    .filter(({ language }) => language === "text")
    .flatMap(({ section, text }) =>
      text
        .trim()
        .split("\n")
        .map((link) => ({ section, link, opens: link.split("?", 1).join("") }))
    )

  it("exists for every program that can open one", () => {
    expect(links.map(({ opens }) => opens)).toEqual(Object.keys(decoders))
  })

  it.each(links)("to $opens starts what the block starts, on the sandbox", (each) => {
    const entry = blocks
      .filter(({ section }) => section === each.section)
      .flatMap(entriesOf)
      .find(isStdio)
    expect(decoders[each.opens]?.(each.link)).toEqual({
      name: "messaging-topup",
      command: entry?.command,
      args: [...(entry?.args ?? []), "--sandbox"]
    })
    expect(entry?.args).toEqual(["-y", packageName])
  })

  it("is what the script generates", () => {
    expect(content.match(/<!-- made: /g)).toHaveLength(3)
    expect(fill(content), "run npx -y pnpm@12 quote").toBe(content)
  })
})

it("names variables that exist", () => {
  const named = [...content.matchAll(/MESSAGING_TOPUP_\w+/g)].map(([name]) => name)
  // The client reads these.
  const service = /^MESSAGING_TOPUP_(BASE_URL|TOKEN|TOKEN_FILE)$/
  const ofOptions = named.filter((name) => !service.test(name))
  expect(ofOptions.every((name) => name.startsWith("MESSAGING_TOPUP_MCP_"))).toBe(true)
  expect(variables).toEqual(expect.arrayContaining(ofOptions))
})

it("the table of hosts that can ask a person has every host, a value of --confirm, and a source", () => {
  const { text = "" } = sections.find(({ title }) => title.startsWith("Which hosts")) ?? {}
  const rows = [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \| `(\w+)` \| ([^|]+) \|$/gm)]
  expect(new Set(rows.map(([, host]) => host))).toEqual(new Set(hosts.map(({ title }) => title)))
  for (const [, host, can = "", confirm = "", source = ""] of rows) {
    expect(options.confirm.choices, host).toContain(confirm)
    expect(confirm, host).toBe(can.startsWith("yes") ? "require" : "auto")
    expect(source, host).toMatch(can === "not documented" ? /^–$/ : /^\[[^\]]+\]\(https:\/\//)
  }
})
