/**
 * Opens a report as a person does: from a file, in a browser. The browser has no network.
 */
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { BrowserContextOptions } from "playwright-core"
import { folder } from "../TemporaryFolder.ts"
import { newPage } from "../Browser.ts"

/**
 * Opens a page, which is closed with the scope. Its problems are errors, console messages, dialogs, requests
 * other than the page itself, and policy violations.
 */
export const open = Effect.fnUntraced(function* (
  html: string,
  options: BrowserContextOptions = {}
) {
  const file = join(yield* folder, "report.html")
  writeFileSync(file, html)
  const url = pathToFileURL(file).href
  const problems: Array<string> = []
  const page = yield* newPage({ offline: true, ...options })
  page.on("pageerror", (error) => problems.push(String(error)))
  page.on("console", (message) => problems.push(message.text()))
  page.on("request", (request) => {
    if (request.url() !== url) problems.push(`A request to ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    problems.push(`A dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  yield* Effect.promise(() => page.goto(url))
  return { page, problems }
})
