import { beforeEach, expect, layer, vi } from "@effect/vitest"
import { page as pageOf } from "messaging-topup/src/report/Page.ts"
import type { Summary } from "messaging-topup/src/report/Summary.ts"
import type { KnownSend } from "@messaging-topup/journal/internal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { BrowserContextOptions } from "playwright-core"
import { findings } from "../harness/Axe.ts"
import { Chromium, noBrowser, newPage } from "../harness/Browser.ts"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { folder } from "../harness/TemporaryFolder.ts"

/**
 * Opens a report as a person does: from a file, in a browser without a network. Its problems are errors, console
 * messages, dialogs, requests other than the page itself, and policy violations.
 */
const open = Effect.fnUntraced(function* (html: string, options: BrowserContextOptions = {}) {
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

if (noBrowser !== undefined) console.warn(`The browser tests are skipped: ${noBrowser}`)

const script = "<script>alert(1)</script>"
const image = `"><img src=x onerror=alert(1)>`
const request = `<link rel="stylesheet" href="http://127.0.0.1:9/">`

const campaign = `autumn ${script}`

const start = Date.UTC(2026, 0, 10, 12)

const keys = [script, image, request, "x".repeat(512), "\u202Eback"]

const listed = keys.map((key, id): KnownSend => ({
  id,
  key,
  attempt: 0,
  state: "unknown",
  claimedAt: start,
  settledAt: start + id,
  staleAt: start,
  messages: [],
  reason: image
}))

const summary: Summary = {
  counts: {
    sent: 40,
    rejected: 3,
    unknown: 5,
    closed: 1,
    freed: 0,
    "in-flight": 1,
    waiting: 2,
    repeated: 1
  },
  total: 53,
  reasons: [
    { state: "unknown", reason: image, count: 4 },
    { state: "unknown", count: 1 },
    { state: "rejected", reason: script, count: 2 },
    { state: "rejected", reason: request, count: 1 }
  ],
  listed,
  timeline: {
    widthMillis: 5000,
    steps: [
      { at: start, sent: 39, rejected: 0, unknown: 1 },
      { at: start + 20_000, sent: 1, rejected: 3, unknown: 4 }
    ],
    first: start,
    last: start + 21_000
  },
  file: { waiting: 2, repeated: 1, impossible: 7, excluded: 2, known: 47 },
  gone: 3,
  zone: DateTime.zoneMakeNamedUnsafe("Africa/Nairobi")
}

const hostile = pageOf({ campaign, madeAt: start, inJournal: [], summary })

type Opened = Effect.Success<ReturnType<typeof open>>

/** Opens the hostile report in a page, and uses it. */
const opened = (use: (opened: Opened) => Promise<void>, options?: BrowserContextOptions) =>
  open(hostile, options).pipe(
    Effect.flatMap((page) => Effect.promise(() => use(page))),
    Effect.scoped
  )

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 }
]

layer(Chromium.layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "a report in a browser",
  (it) => {
    beforeEach((context) => context.skip(noBrowser !== undefined, noBrowser))

    for (const colorScheme of ["light", "dark"] as const) {
      for (const viewport of sizes) {
        it.effect(`opens from a file, ${colorScheme}, ${viewport.width} pixels wide`, () =>
          opened(
            async ({ page, problems }) => {
              const wide = await page.evaluate(() => document.documentElement.scrollWidth)
              expect(wide).toBe(viewport.width)
              const background = await page.evaluate(
                () => getComputedStyle(document.body).backgroundColor
              )
              expect(background).toBe(
                colorScheme === "light" ? "rgb(245, 246, 244)" : "rgb(17, 20, 19)"
              )
              expect(problems).toEqual([])
              expect(await findings(page)).toEqual([])
              for (const folded of await page.locator("summary").all()) await folded.click()
              expect(await findings(page)).toEqual([])
            },
            { colorScheme, viewport }
          )
        )
      }
    }

    it.effect("shows hostile values as text, and runs no script", () =>
      opened(async ({ page, problems }) => {
        expect(await page.locator("h1").textContent()).toContain(campaign)
        expect(await page.title()).toContain(campaign)
        expect(await page.locator("script, img, link, iframe, [style], [onerror]").count()).toBe(0)
        const shown = await page.locator('[data-table="keys"] tbody th').allTextContents()
        expect(shown.map((key) => key.trim()).slice(0, 3)).toEqual([script, image, request])
        expect(shown.at(-1)?.trim()).toBe("U+202Eback")
        expect(problems).toEqual([])
      })
    )

    it.effect("blocks scripts, images and styles that are injected into it", () =>
      Effect.gen(function* () {
        const inside = hostile.replace(
          "<main>",
          `<main>${script}<img src="http://127.0.0.1:9/" alt="">`
        )
        const { problems } = yield* open(inside.replace("</main>", '<p style="color:red"></main>'))
        // The browser reports violations shortly after the page is loaded.
        for (const directive of ["script-src-elem", "img-src", "style-src-attr"]) {
          const isReported = () =>
            problems.some((each) => each.includes(`the policy: ${directive}`))
          yield* Effect.promise(() =>
            vi.waitFor(() => expect(isReported(), directive).toBe(true), 60_000)
          )
        }
        expect(problems.join("\n")).not.toContain("A dialog")
      }).pipe(Effect.scoped)
    )
  }
)
