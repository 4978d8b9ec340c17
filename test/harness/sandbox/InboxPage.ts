/**
 * Tests of the inbox of a new sandbox, each in a new page.
 */
import { beforeEach, expect, layer } from "@effect/vitest"
import { Sandbox, type SandboxOptions } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { BrowserContextOptions, Page } from "playwright-core"
import { Chromium, newPage, noBrowser, violation } from "../Browser.ts"

const inBrowser = () => layer(Chromium.layer, { excludeTestServices: true, timeout: "60 seconds" })

/** Tests that share a browser. */
export const inboxTests = (title: string, tests: Parameters<ReturnType<typeof inBrowser>>[1]) =>
  inBrowser()(title, (it) => {
    beforeEach((context) => context.skip(noBrowser !== undefined, noBrowser))
    tests(it)
  })

/** What tests see and do in an inbox. */
export const inboxIn = (page: Page) => ({
  /** Waits until the page hears of changes. */
  live: () => page.getByText("Live", { exact: true }).waitFor(),
  row: (text: string) =>
    page.getByRole("region", { name: "Messages" }).getByRole("link").filter({ hasText: text }),
  view: (name: "Messages" | "Requests") =>
    page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click(),
  /** Elements that do not fit in the window. */
  widerThanWindow: () =>
    page.evaluate(() =>
      [...document.querySelectorAll("body *:not(.hidden)")].flatMap((element) => {
        const { left, right } = element.getBoundingClientRect()
        return left < 0 || right > innerWidth + 1 ? [element.outerHTML] : []
      })
    )
})

export interface Inbox extends ReturnType<typeof inboxIn> {
  readonly page: Page
  readonly url: string
  readonly send: (fields: Readonly<Record<string, unknown>>) => Promise<Response>
}

interface Options extends BrowserContextOptions {
  readonly sandbox?: SandboxOptions
  /** The path of the page. */
  readonly path?: string
}

/** Opens the inbox, uses it, and returns the errors of the page. */
export const failuresIn = (
  use: (inbox: Inbox) => Promise<void>,
  { path = "/", sandbox, ...options }: Options = {}
) =>
  Effect.gen(function* () {
    const { baseUrl, token } = yield* Sandbox
    const failures: Array<string> = []
    const page = yield* newPage(options)
    page.setDefaultTimeout(15_000)
    page.on("pageerror", (error) => failures.push(String(error)))
    page.on("console", (message) => {
      if (message.text().startsWith(violation)) failures.push(message.text())
    })
    const send: Inbox["send"] = (fields) =>
      fetch(`${baseUrl}/sms/send`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${Redacted.value(token)}`,
          "content-type": "application/json"
        },
        body: JSON.stringify(fields)
      })
    yield* Effect.promise(async () => {
      await page.goto(baseUrl + path)
      await use({ ...inboxIn(page), page, url: baseUrl, send })
    })
    return failures
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layer(sandbox)))

/** Opens the inbox and uses it. The page must have no errors. */
export const useInbox = (...args: Parameters<typeof failuresIn>) =>
  Effect.map(failuresIn(...args), (failures) => expect(failures).toEqual([]))
