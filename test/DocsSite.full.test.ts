import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { browser, noBrowser } from "./support/Browser.ts"

/** Runs `pnpm run docs`, and returns the address that it prints. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly stop: () => void }>((resume) => {
    const child = spawn(process.execPath, ["docs/site/main.ts"], {
      env: { PATH: process.env["PATH"], NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [url] = /http:\/\/localhost:\d+\//.exec(line) ?? []
      if (url !== undefined) resume(Effect.succeed({ url, stop: () => child.kill() }))
    })
    child.once("exit", (code) => resume(Effect.die(new Error(`It ended with ${code}`))))
  }),
  ({ stop }) => Effect.sync(stop)
)

it.live(
  "the site of `pnpm run docs` shows the documents and the reference",
  (context) =>
    Effect.gen(function* () {
      context.skip(noBrowser !== undefined, noBrowser)
      const { url } = yield* site
      const chromium = yield* browser
      yield* Effect.promise(async () => {
        const page = await chromium.newPage()
        const problems = new Array<string>()
        page.on("pageerror", (error) => problems.push(error.message))
        page.on("response", (response) => {
          if (response.status() >= 400) problems.push(response.url())
        })
        const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()

        await page.goto(url)
        await heading("messaging-topup")
        await page.locator("a.VPFeature").filter({ hasText: "Languages and CI" }).click()
        await heading("The sandbox in any language, and in CI")

        const finds = async (text: string, title: string) => {
          await page.keyboard.press("Control+k")
          await page.locator("#localsearch-input").fill(text)
          await page.locator("#localsearch-list a").filter({ hasText: title }).first().waitFor()
          await page.keyboard.press("Escape")
        }
        await finds("CommonJS", "Scripts without Effect")
        await finds("follow status", "Follow a status")
        await finds("await", "awaitSmsStatus")

        await page.goto(`${url}docs/errors`)
        await heading("Errors")
        const picture = (scheme: string) => page.locator(`img.${scheme}-only`).first()
        await page.goto(`${url}docs/benchmarks`)
        await picture("light").waitFor()
        await page.evaluate(() => document.documentElement.classList.add("dark"))
        await picture("dark").waitFor()
        expect(await picture("light").isVisible()).toBe(false)
        await page.goto(
          `${url}docs/reference/@messaging-topup/core/interfaces/MessagingTopupService`
        )
        await heading("MessagingTopupService")
        await page.getByText("GET /sms/{message_id}").first().waitFor()
        await page.getByRole("link", { name: "PaymentRequired" }).first().click()
        await heading("PaymentRequired")
        expect(problems).toEqual([])
      })
    }).pipe(Effect.scoped),
  180_000
)
