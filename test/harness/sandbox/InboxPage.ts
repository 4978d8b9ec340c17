/**
 * Opens the inbox of a new sandbox in a new page.
 */
import { expect } from "@effect/vitest"
import { Sandbox, type SandboxOptions } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { BrowserContextOptions, Page } from "playwright-core"
import { newPage, violation } from "../Browser.ts"

export interface Inbox {
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
      await use({ page, url: baseUrl, send })
    })
    return failures
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layer(sandbox)))

/** Opens the inbox and uses it. The page must have no errors. */
export const useInbox = (...args: Parameters<typeof failuresIn>) =>
  Effect.map(failuresIn(...args), (failures) => expect(failures).toEqual([]))

/** Waits until the page hears of changes. */
export const live = (page: Page): Promise<void> => page.getByText("Live", { exact: true }).waitFor()

export const row = (page: Page, text: string) =>
  page.getByRole("region", { name: "Messages" }).getByRole("link").filter({ hasText: text })

export const view = (page: Page, name: "Messages" | "Requests" | "Send"): Promise<void> =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click()

/** Elements that do not fit in the window. */
export const widerThanWindow = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() =>
    [...document.querySelectorAll("body *:not(.hidden)")].flatMap((element) => {
      const { left, right } = element.getBoundingClientRect()
      return left < 0 || right > innerWidth + 1 ? [element.outerHTML] : []
    })
  )
