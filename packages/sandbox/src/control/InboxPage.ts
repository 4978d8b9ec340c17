/**
 * Serves the inbox: one HTML file that the build makes.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { inboxFile } from "./InboxFile.ts"

const command = "npx -y pnpm@12 build"

const notBuilt = HttpServerResponse.text(
  `The inbox is not built. Build it with: ${command}\nThe endpoints work without it: GET /openapi.json lists them.\n`,
  { status: 503 }
)

const sourcesOf = (html: string, tag: "script" | "style"): string => {
  const hashes = Array.from(
    html.matchAll(new RegExp(`<${tag}(?:\\s[^>]*)?>([\\s\\S]*?)</${tag}\\s*>`, "gi")),
    ([, content = ""]) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`
  )
  return hashes.length === 0 ? "'none'" : hashes.join(" ")
}

/** Allows only the scripts and styles of the file, and requests to this sandbox. */
const policyOf = (html: string): string =>
  [
    "default-src 'none'",
    `script-src ${sourcesOf(html, "script")}`,
    `style-src ${sourcesOf(html, "style")}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const toResponse = (text: string): HttpServerResponse.HttpServerResponse => {
  // A browser normalises line breaks before it computes the hashes.
  const html = text.replaceAll(/\r\n?/g, "\n")
  return HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": policyOf(html),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache"
    }
  })
}

let page: HttpServerResponse.HttpServerResponse | undefined

const read = Effect.tryPromise(() => readFile(inboxFile(), "utf8")).pipe(
  Effect.map((html) => {
    page = toResponse(html)
    return page
  }),
  Effect.orElseSucceed(() => notBuilt)
)

/** Reads the file once. If the inbox is not built yet, tries again on each request. */
export const response = Effect.suspend(() => (page === undefined ? read : Effect.succeed(page)))
