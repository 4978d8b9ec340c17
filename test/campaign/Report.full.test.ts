import { beforeEach, describe, expect, it, layer, vi } from "@effect/vitest"
import { Campaign } from "@messaging-topup/campaign"
import { layerMemory } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { BrowserContextOptions } from "playwright-core"
import { folder } from "../journal/support/Files.ts"
import { findings } from "../support/Axe.ts"
import { Chromium, noBrowser } from "../support/Browser.ts"
import { type RowSettlement, settleRows } from "./support/RowSettlements.ts"
import { open } from "./support/ReportBrowser.ts"
import { countOf, numberOf, tableOf, wordsOf } from "./support/ReportPage.ts"
import { rowOf } from "./support/Rows.ts"

if (noBrowser !== undefined) console.warn(`The browser tests are skipped: ${noBrowser}`)

const script = "<script>alert(1)</script>"
const image = `"><img src=x onerror=alert(1)>`
const request = `<link rel="stylesheet" href="http://127.0.0.1:9/">`

const settlements: ReadonlyArray<RowSettlement> = [
  ...Array.from({ length: 40 }, (_, index): RowSettlement => ({
    outcome: "sent",
    status: index % 3 === 0 ? "queued" : image
  })),
  { outcome: "rejected", info: script },
  { outcome: "rejected", info: request },
  { outcome: "rejected", info: "NotFound 404" },
  { outcome: "unknown", info: image },
  { outcome: "unknown" },
  { outcome: "unknown", info: "ConnectionLost" },
  {}
]

const campaign = `autumn ${script}`

const hostile = Effect.gen(function* () {
  const keys = [script, image, request, "x".repeat(512), "\u202Eback"]
  const rows = [...settlements, undefined, undefined].map((_, index) => ({
    ...rowOf(index),
    key: keys[index - 43] ?? `k${index}`
  }))
  yield* Campaign.load(campaign, Stream.fromIterable(rows))
  yield* settleRows(campaign, settlements)
  const { counts } = yield* Campaign.status(campaign)
  return { counts, html: yield* Campaign.report(campaign, { showRecipients: true }) }
}).pipe(Effect.provide(layerMemory))

type Opened = Effect.Success<ReturnType<typeof open>> & Effect.Success<typeof hostile>

/** Opens the hostile report in a page, and uses it. */
const opened = (use: (opened: Opened) => Promise<void>, options?: BrowserContextOptions) =>
  Effect.gen(function* () {
    const report = yield* hostile
    const page = yield* open(report.html, options)
    yield* Effect.promise(() => use({ ...report, ...page }))
  }).pipe(Effect.scoped)

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
              for (const summary of await page.locator("summary").all()) await summary.click()
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
        const keys = await page.locator('[data-table="keys"] tbody th').allTextContents()
        expect(keys.map((key) => key.trim())).toEqual([script, image, request])
        expect(problems).toEqual([])
      })
    )

    it.effect("has the numbers of the journal", () =>
      opened(async ({ counts, page }) => {
        for (const [state, count] of Object.entries(counts)) {
          const shown = await page.locator(`dd [data-count="${state}"]`).textContent()
          expect(numberOf(shown ?? undefined)).toBe(count)
        }
      })
    )

    it.effect("shows the figures of a bar under the pointer", () =>
      opened(async ({ page }) => {
        const figures = page.getByText("sent 40 · rejected 3 · unknown 3")
        expect(await figures.isVisible()).toBe(false)
        await page.locator(".bucket", { has: figures }).locator("use").hover()
        expect(await figures.isVisible()).toBe(true)
      })
    )

    it.effect("is light on paper", () =>
      opened(
        async ({ page, problems }) => {
          await page.emulateMedia({ media: "print", colorScheme: "dark" })
          expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
            "rgb(255, 255, 255)"
          )
          expect(problems).toEqual([])
        },
        { colorScheme: "dark" }
      )
    )

    it.effect("blocks scripts, images and styles that are injected into it", () =>
      Effect.gen(function* () {
        const { html } = yield* hostile
        const inside = html.replace(
          "<main>",
          `<main>${script}<img src="http://127.0.0.1:9/" alt="">`
        )
        const { problems } = yield* open(inside.replace("</main>", '<p style="color:red"></main>'))
        // The browser reports violations shortly after the page is loaded.
        for (const directive of ["script-src-elem", "img-src", "style-src-attr"]) {
          const isReported = () =>
            problems.some((each) => each.includes(`the policy: ${directive}`))
          yield* Effect.promise(() => vi.waitFor(() => expect(isReported(), directive).toBe(true)))
        }
        expect(problems.join("\n")).not.toContain("A dialog")
      }).pipe(Effect.scoped)
    )

    it.effect("is checked by rules that find an image without a text", () =>
      opened(async ({ page }) => {
        await page.evaluate(() => document.querySelector("main")?.append(new Image()))
        expect(await findings(page)).toContainEqual(expect.stringContaining("image-alt"))
      })
    )
  }
)

describe("the report of a million rows", () => {
  const program = fileURLToPath(new URL("programs/millionReport.ts", import.meta.url))

  it.live(
    "is small, and is made with a heap that cannot hold the rows",
    () =>
      Effect.gen(function* () {
        const place = yield* folder
        const page = join(place, "report.html")
        const { stdout } = yield* Effect.promise(() =>
          promisify(execFile)(execPath, [
            "--max-old-space-size=48",
            program,
            join(place, "journal.db"),
            page
          ])
        )
        console.log("report of 1,000,000 rows", stdout.trim())
        const { counts, kilobytes } = JSON.parse(stdout)
        expect(kilobytes).toBeLessThan(150)
        const html = readFileSync(page, "utf8")
        expect(countOf(html, "total")).toBe(1_000_000)
        for (const [state, count] of Object.entries(counts))
          expect(countOf(html, state)).toBe(count)
        expect(wordsOf(html, "unknown")).toEqual({ ConnectionLost: counts.unknown })
        expect(tableOf(html, "keys")).toHaveLength(1_000)
        const time = tableOf(html, "time") ?? []
        const sent = time.reduce((sum, [, cell]) => sum + numberOf(cell), 0)
        expect(sent).toBe(counts.sent)
      }),
    180_000
  )
})
