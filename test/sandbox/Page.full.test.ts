import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { decodeAddress, startAs } from "./support/Command.ts"

const source = resolve("packages/sandbox")

/** A copy of the package without the built inbox. */
const copied = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "messaging-topup-page-"))
    cpSync(join(source, "src"), join(folder, "src"), { recursive: true })
    cpSync(join(source, "package.json"), join(folder, "package.json"))
    symlinkSync(join(source, "node_modules"), join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const script = "\nconst less = 1 < 2\n"
const style = "body { color: red }"
const html = `<!doctype html>
<title>Inbox</title>
<style>${style}</style>
<script type="module">${script}</script>
<script>2</script>
<p>ü</p>
`

it.live("the sandbox serves the built inbox with a policy that allows nothing else", () =>
  Effect.gen(function* () {
    const folder = yield* copied
    const main = join(folder, "src/main.ts")
    const { until } = yield* startAs({ main }, ["--port", "0", "--json", "--quiet"])
    const { baseUrl } = yield* Effect.flatMap(until(/\n/), decodeAddress)
    const page = Effect.promise(() =>
      fetch(baseUrl).then((response) =>
        response
          .text()
          .then((body) => ({ status: response.status, headers: response.headers, body }))
      )
    )

    const missing = yield* page
    expect(missing.status).toBe(503)
    expect(missing.headers.get("content-type")).toContain("text/plain")
    expect(missing.body).toContain("npx -y pnpm@12 build")

    mkdirSync(join(folder, "dist"))
    writeFileSync(join(folder, "dist/inbox.html"), html.replaceAll("\n", "\r\n"))
    const built = yield* page
    expect([built.status, built.body]).toEqual([200, html])
    expect(Object.fromEntries(built.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": [
        "default-src 'none'",
        `script-src ${hash(script)} ${hash("2")}`,
        `style-src ${hash(style)}`,
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'"
      ].join("; "),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer"
    })
    expect(built.headers.get("access-control-allow-origin")).toBeNull()

    writeFileSync(join(folder, "dist/inbox.html"), "another")
    expect((yield* page).body).toBe(html)
  })
)
