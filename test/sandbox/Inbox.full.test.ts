import { beforeEach, describe, expect, layer } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { Chromium, noBrowser, violation } from "../support/Browser.ts"
import { failuresIn, live, openPage, row, sendTo, useInbox, view } from "./support/InboxPage.ts"

if (noBrowser !== undefined) console.warn(`The inbox tests are skipped: ${noBrowser}`)

const phone = { viewport: { width: 360, height: 740 } }

const code = { recipient: "+15551234567", message: "Your code is 4711", sender_id: "ACME" }
const parcel = { recipient: "+15557654321", message: "Your parcel is on its way" }

/** The SMS in the detail pane. */
const detail = (page: Page) => page.getByRole("region", { name: "Message", exact: true })

/** Elements that do not fit on a phone, except those that their parent clips on purpose. */
const widerThanWindow = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() =>
    [...document.querySelectorAll("body *")].flatMap((element) =>
      element.getBoundingClientRect().right > innerWidth + 1 ? [element.outerHTML] : []
    )
  )

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: element } = document
    return element?.getAttribute("aria-label") ?? element?.textContent ?? ""
  })

/** Uses only the Tab key. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab")
    if ((await focused(page)).trim() === name) return
  }
  throw new Error(`The Tab key does not reach "${name}"`)
}

layer(Chromium.layer, { excludeTestServices: true, timeout: "60 seconds" })("the inbox", (it) => {
  beforeEach((context) => context.skip(noBrowser !== undefined, noBrowser))

  it.effect("shows an SMS as soon as it is accepted", () =>
    useInbox(async ({ page, send }) => {
      await page.getByRole("heading", { name: "No messages yet" }).waitFor()
      await live(page)
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
      await send({
        ...code,
        scheduled_time: "2030-01-15T08:00:00Z",
        webhook_url: "https://example.com/hook"
      })
      await row(page, code.message).waitFor()

      const shown = await detail(page).innerText()
      for (const text of [
        code.recipient,
        code.sender_id,
        code.message,
        "GSM-7",
        "1 segment",
        "143",
        "2030-01-15T08:00:00Z",
        "https://example.com/hook"
      ]) {
        expect(shown).toContain(text)
      }
      await page.getByRole("status").getByText(`New SMS to ${code.recipient}`).waitFor()
      expect(await page.evaluate(() => "isSamePage" in globalThis)).toBe(true)
    })
  )

  it.effect("shows what forces UCS-2", () =>
    useInbox(async ({ page, send }) => {
      await send({ recipient: "+15551234567", message: "ça va 🎉\u200b" })
      await row(page, "ça va").waitFor()
      const shown = await detail(page).innerText()
      for (const text of ["UCS-2", "U+00E7", "U+1F389", "U+200B"]) expect(shown).toContain(text)
    })
  )

  it.effect("sets a fault, shows what it refused, and clears it", () =>
    useInbox(async ({ page, send }) => {
      await page.getByRole("button", { name: "Set fault" }).click()
      const dialog = page.getByRole("dialog", { name: "Next fault" })
      const fault = page.getByRole("region", { name: "Current fault" })
      await dialog.getByLabel("Status").fill("418")
      await dialog.getByRole("textbox", { name: "Body" }).fill('{"short":true}')
      await dialog.getByRole("textbox", { name: "Headers" }).fill("X-Reason: a test")
      await dialog.getByRole("button", { name: "Set fault" }).click()
      await fault.getByText("Another response, 418 · next request").waitFor()

      const response = await send(code)
      expect([response.status, response.headers.get("x-reason"), await response.json()]).toEqual([
        418,
        "a test",
        { short: true }
      ])
      await fault.waitFor({ state: "detached" })
      expect((await send(parcel)).status).toBe(202)
      expect((await send({ recipient: "+15551234567" })).status).toBe(400)
      expect((await send({ ...code, recipient: "+15550000402" })).status).toBe(402)

      await view(page, "Requests")
      const requests = page.getByRole("region", { name: "Requests" }).getByRole("listitem")
      await requests.nth(3).waitFor()
      const [forced, refused, accepted, faulty] = await requests.allInnerTexts()
      expect(forced).toMatch(/POST\s+\/sms\/send\s+.*402\s+0402: 402/s)
      expect(refused).toMatch(/400\s+.*message/s)
      expect(accepted).toMatch(/202\s+SMS accepted/s)
      expect(faulty).toMatch(/418\s+Another response/s)

      await requests.nth(0).getByText("POST").click()
      await requests.nth(0).getByText('"recipient": "+15550000402"').waitFor()
      await requests.nth(2).getByText("POST").click()
      await requests.nth(2).getByRole("link").click()
      await detail(page).getByRole("heading", { name: parcel.recipient }).waitFor()

      await page.getByRole("button", { name: "Set fault" }).click()
      await dialog.getByLabel("What goes wrong").selectOption("No response")
      await dialog.getByLabel("Accept the SMS first").check()
      await dialog.getByLabel("all, until it is cleared").check()
      await dialog.getByRole("button", { name: "Set fault" }).click()
      await fault.getByText("No response, SMS accepted · until cleared").waitFor()
      await page.getByRole("button", { name: "Clear fault" }).click()
      await fault.waitFor({ state: "detached" })
      expect((await send(code)).status).toBe(202)
    })
  )

  it.effect("offers every fault of the contract, and shows why one could not be set", () =>
    useInbox(async ({ page, url }) => {
      await live(page)
      const current = async () => (await fetch(`${url}/_sandbox/fault`)).json()
      const open = page.getByRole("button", { name: "Set fault" }).first()
      const dialog = page.getByRole("dialog", { name: "Next fault" })
      const submit = dialog.getByRole("button", { name: "Set fault" })
      await open.click()
      const select = dialog.getByLabel("What goes wrong")
      const names = await select
        .locator("option")
        .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
      expect(names).toHaveLength(11)
      await page.keyboard.press("Escape")
      for (const name of names) {
        await open.click()
        await select.selectOption(name)
        // A number in the field selects the option.
        await dialog.getByLabel("How many").fill("7")
        await submit.click()
        await dialog.waitFor({ state: "detached" })
        expect(await current()).toMatchObject({ fault: { fault: name, times: 7 } })
      }
      await open.click()
      const headers = dialog.getByRole("textbox", { name: "Headers" })
      await headers.fill("X-Reason: a test\nRetry-After 1")
      await submit.click()
      await dialog.getByRole("alert").getByText("valid header names").waitFor()
      expect(await current()).toMatchObject({ fault: { fault: "BodyCutOff" } })
      await headers.fill("No: ☃")
      await submit.click()
      await dialog.getByRole("alert").getByText("The fault could not be set").waitFor()
    })
  )

  it.effect("sets the status of a message", () =>
    useInbox(async ({ page, send, token, url }) => {
      await send(code)
      await row(page, code.message).click()
      const delivered = detail(page).getByRole("button", { name: "SANDBOX_DELIVERED" })
      await delivered.click()
      await detail(page).getByRole("button", { pressed: true, name: "DELIVERED" }).waitFor()
      await row(page, "SANDBOX_DELIVERED").waitFor()

      await page.getByLabel("Other status").fill("LOST_AT_SEA")
      await page.keyboard.press("Enter")
      await row(page, "LOST_AT_SEA").waitFor()
      const [, id = ""] = /#\/messages\/(.+)$/.exec(page.url()) ?? []
      const read = await fetch(`${url}/sms/${id}`, {
        headers: { authorization: `Bearer ${token}` }
      })
      expect(await read.json()).toMatchObject({ data: [{ status: "LOST_AT_SEA" }] })
    })
  )

  it.effect("sends an SMS from the page, and says why one was refused or lost", () =>
    useInbox(
      async ({ page, url }) => {
        const submit = page.getByRole("button", { name: "Send", exact: true })
        await submit.click()
        await detail(page).getByRole("heading", { name: "+15551234567" }).waitFor()

        await view(page, "Send")
        await page.getByLabel("Recipient", { exact: true }).fill("+15550000402")
        await page.getByRole("textbox", { name: "Message" }).fill("Your invoice")
        await submit.click()
        await page
          .getByRole("alert")
          .getByText(/^402: /)
          .waitFor()

        const headers = { "content-type": "application/json" }
        const body = '{"fault":"TruncatedJson","times":1}'
        await fetch(`${url}/_sandbox/fault`, { method: "PUT", headers, body })
        await page.getByLabel("Recipient", { exact: true }).fill("+15551234567")
        await submit.click()
        await page.getByRole("alert").getByText("did not arrive or cannot be read").waitFor()
        await view(page, "Messages")
        await row(page, "Your invoice").getByText("Truncated JSON").waitFor()
        expect(await row(page, "Hello from the sandbox").getByText("JSON").count()).toBe(0)
      },
      { path: "/#/send" }
    )
  )

  it.effect(
    "does not show a long token that was given, which may be that of the real service",
    () =>
      useInbox(
        async ({ page, token }) => {
          await live(page)
          await page.getByText("$MESSAGING_TOPUP_TOKEN").first().waitFor()
          expect(await page.content()).not.toContain(token)
        },
        { sandbox: { token: Redacted.make("x".repeat(16)) } }
      )
  )

  it.effect("searches in the text and in the recipient", () =>
    useInbox(async ({ page, send }) => {
      await send(code)
      await send(parcel)
      await row(page, code.message).waitFor()
      await page.getByLabel("Search in text").fill("PARCEL")
      await row(page, code.message).waitFor({ state: "detached" })
      await row(page, parcel.message).waitFor()

      // A message that does not match is not shown, but counted.
      await send({ ...code, message: "Another one" })
      await page.getByRole("link", { name: "Messages 3" }).waitFor()
      expect(await row(page, "").count()).toBe(1)

      await page.getByLabel("Search in recipient").fill("1234567")
      await page.getByText("No message matches the search.").waitFor()
      await page.getByRole("button", { name: "Show all" }).click()
      await row(page, code.message).waitFor()
      expect(await row(page, "").count()).toBe(3)
    })
  )

  it.effect("clears the messages, and the requests, after a confirmation", () =>
    useInbox(async ({ page, send }) => {
      await send(code)
      await row(page, code.message).click()
      await page.getByRole("button", { name: "Clear messages" }).click()
      const dialog = page.getByRole("dialog", { name: "Clear all messages?" })
      await dialog.getByRole("button", { name: "Keep them" }).click()
      await row(page, code.message).waitFor()
      await page.getByRole("button", { name: "Clear messages" }).click()
      await dialog.getByRole("button", { name: "Clear", exact: true }).click()
      await page.getByRole("heading", { name: "No messages yet" }).waitFor()

      await view(page, "Requests")
      await page.getByText("/sms/send").waitFor()
      await page.getByRole("button", { name: "Clear requests" }).click()
      await page.getByRole("button", { name: "Clear", exact: true }).click()
      await page.getByText("No requests yet.").waitFor()
    })
  )

  it.effect("shows hostile texts as plain text", () =>
    useInbox(async ({ page, send }) => {
      const markup = `<img src=x onerror=alert(1)><script>alert(2)</script>`
      let dialogs = 0
      page.on("dialog", (dialog) => {
        dialogs++
        void dialog.dismiss()
      })
      await send({
        recipient: `+1555\u202E000${"9".repeat(300)}`,
        message: `${markup}\u202E${"x".repeat(3000)}`,
        sender_id: "</bdi><b>\u2066",
        webhook_url: "javascript:alert(3)",
        scheduled_time: `"><svg onload=alert(4)>`
      })
      await row(page, markup).click()
      const shown = await detail(page).innerText()
      for (const text of [markup, "</bdi><b>", "javascript:alert(3)", "<svg onload"]) {
        expect(shown).toContain(text)
      }
      expect(await page.locator("main :is(img, script, b, [href^='javascript'])").count()).toBe(0)
      expect(await widerThanWindow(page)).toEqual([])
      // The content after a text keeps its direction and its place.
      const isolated = await page
        .locator("bdi, .bubble p, .excerpt")
        .evaluateAll((elements) => elements.map((el) => getComputedStyle(el).unicodeBidi))
      expect(new Set(isolated)).toEqual(new Set(["isolate"]))

      await view(page, "Requests")
      await page.getByText("POST").click()
      await page.getByRole("region", { name: "Body" }).getByText("<script>alert(2)").waitFor()
      expect(await widerThanWindow(page)).toEqual([])
      expect(dialogs).toBe(0)
    }, phone)
  )

  it.effect("reports violations of the policy, so that other tests notice them", () =>
    Effect.gen(function* () {
      const failures = yield* failuresIn(async ({ page }) => {
        // The browser also reports it in its own words.
        const seen = page.waitForEvent("console", (message) => message.text().includes(violation))
        await page.evaluate(() =>
          document.body.insertAdjacentHTML("beforeend", "<i style='top:0'>")
        )
        await seen
      })
      expect(failures).toContainEqual(expect.stringContaining("style-src"))
    })
  )

  it.effect("needs no mouse", () =>
    useInbox(async ({ page, send }) => {
      const { keyboard } = page
      await send(parcel)
      await send(code)
      await row(page, code.message).waitFor()

      await row(page, code.message).focus()
      await keyboard.press("ArrowDown")
      expect(await focused(page)).toContain(parcel.message)
      await detail(page).getByRole("heading", { name: parcel.recipient }).waitFor()
      const outline = () =>
        page.evaluate(() => {
          const { activeElement: element } = document
          return element === null ? "none" : getComputedStyle(element).outlineStyle
        })
      expect(await outline()).toBe("solid")

      await keyboard.press("/")
      await keyboard.type("/code")
      await page.getByText("No message matches the search.").waitFor()
      await keyboard.press("Control+a")
      await keyboard.type("code")
      await row(page, code.message).waitFor()
      // The search stays.
      await keyboard.press("Escape")
      await page.getByRole("button", { name: "Show all" }).waitFor()

      await tabTo(page, "SANDBOX_SENT")
      expect(await outline()).toBe("solid")
      await keyboard.press("Enter")
      await detail(page).getByRole("button", { pressed: true, name: "SANDBOX_SENT" }).waitFor()

      await tabTo(page, "Set fault")
      await keyboard.press("Enter")
      await page.getByRole("dialog", { name: "Next fault" }).waitFor()
      await tabTo(page, "Set fault")
      await keyboard.press("Enter")
      await page.getByRole("region", { name: "Current fault" }).waitFor()
      await tabTo(page, "Clear fault")
      await keyboard.press("Enter")
      await page.getByRole("region", { name: "Current fault" }).waitFor({ state: "detached" })

      // A person who speaks may say the key: it does nothing outside of the list.
      await keyboard.press("/")
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY")
      await tabTo(page, "Requests2")
      await keyboard.press("Enter")
      await page.getByRole("heading", { name: "Requests" }).waitFor()
      await page.getByText("POST").first().click()
      await keyboard.press("ArrowDown")
      await keyboard.press("Enter")
      await page.getByText('"message": "Your parcel is on its way"').waitFor()
    })
  )

  describe("beyond loopback", () => {
    const sandbox = { host: "0.0.0.0" }

    it.effect("asks for the token, and keeps it in the tab", () =>
      useInbox(
        async ({ page, send, token }) => {
          await send(code)
          await page.getByText("This sandbox needs its access token.").waitFor()
          await page.getByLabel("Access token").fill("wrong")
          await page.keyboard.press("Enter")
          await page.getByText("The sandbox does not accept this token.").waitFor()
          await page.getByLabel("Access token").fill(token)
          await page.keyboard.press("Enter")
          await row(page, code.message).waitFor()
          await page.reload()
          await row(page, code.message).waitFor()
        },
        { sandbox }
      )
    )

    it.effect("reads the token from the URL, and removes it there", () =>
      useInbox(
        async ({ page, send, url }) => {
          await send(code)
          await row(page, code.message).waitFor()
          expect(page.url()).toBe(`${url}/`)
          await view(page, "Send")
          // On loopback, the command works unchanged.
          await page.getByText("Bearer a+b%c").first().waitFor()
        },
        {
          sandbox: { ...sandbox, token: Redacted.make("a+b%c") },
          path: `/#token=${encodeURIComponent("a+b%c")}`
        }
      )
    )
  })

  it.effect("copies commands that work as they stand", () =>
    useInbox(
      async ({ page, url }) => {
        await view(page, "Send")
        await page.getByText("0402").click()
        await page.getByRole("button", { name: "Copy curl line for 0402" }).click()
        await page.getByText("curl line for 0402 copied").waitFor()
        const line = await page.evaluate(() => navigator.clipboard.readText())
        expect(line).toContain(`curl ${url}/sms/send`)
        expect(line).toContain(`'{"recipient":"+15550000402","message":"Hello"}'`)
        const { stdout } = await promisify(execFile)("sh", ["-c", `${line} --silent`])
        expect(JSON.parse(stdout)).toMatchObject({ error: { status: 402 } })
        await page.getByText("0903").click()
        await page.getByText('{"recipient":"+15550000903"').waitFor()
      },
      { permissions: ["clipboard-read", "clipboard-write"] }
    )
  )

  it.effect("reconnects when the sandbox is back, and shows what it missed", () =>
    Effect.gen(function* () {
      const start = Effect.fnUntraced(function* (port: number) {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Sandbox.layer({ port }), scope)
        const { baseUrl, token } = Context.get(context, Sandbox)
        const send = sendTo(baseUrl, Redacted.value(token))
        return { baseUrl, send, stop: Scope.close(scope, Exit.void) }
      })
      const first = yield* start(0)
      const { failures, page } = yield* openPage()
      yield* Effect.promise(async () => {
        await page.goto(first.baseUrl)
        await live(page)
        await first.send(code)
        await row(page, code.message).waitFor()
      })
      yield* first.stop
      yield* Effect.promise(() => page.getByText("Connecting…").waitFor())

      const second = yield* start(Number(new URL(first.baseUrl).port))
      yield* Effect.promise(async () => {
        await second.send(parcel)
        await live(page)
        await row(page, parcel.message).waitFor()
        await row(page, code.message).waitFor({ state: "detached" })
        await second.send({ ...parcel, message: "And one more" })
        await row(page, "And one more").waitFor()
      })
      yield* second.stop
      expect(failures).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.effect("waits longer after each failed attempt", () =>
    useInbox(async ({ page, url }) => {
      let attempts = 0
      await page.route("**/_sandbox/events", (route) => {
        attempts++
        return route.abort()
      })
      await page.clock.install()
      await page.goto(`${url}/?again`)
      await page.getByText("Connecting…").waitFor()
      // A minute: 240 attempts, if the first delay were the only one.
      for (let step = 0; step < 120; step++) await page.clock.runFor(500)
      expect(attempts).toBeGreaterThan(3)
      expect(attempts).toBeLessThan(15)

      await page.unroute("**/_sandbox/events")
      await page.clock.runFor(10_000)
      await live(page)
    })
  )

  it.effect("shows 100 of 1,000 messages at a time, and finds the others", () =>
    useInbox(async ({ page, send }) => {
      await live(page)
      const numbers = Array.from({ length: 1000 }, (_, index) => index + 1)
      const sender = async (): Promise<void> => {
        for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
          await send({ ...code, message: `Message number ${number}.` })
        }
      }
      await Promise.all(Array.from({ length: 20 }, sender))
      await page.getByRole("link", { name: "Messages 1,000" }).waitFor()
      expect(await row(page, "").count()).toBe(100)

      const newest = await row(page, "").first().innerText()
      await page.getByRole("button", { name: "Older" }).click()
      await row(page, newest).waitFor({ state: "detached" })
      expect(await row(page, "").count()).toBe(100)

      await page.getByLabel("Search in text").fill("number 471.")
      await row(page, "Message number 471.").click()
      await detail(page).getByText("Message number 471.").waitFor()
      expect(await row(page, "").count()).toBe(1)
      await page.getByRole("button", { name: "Show all" }).click()

      // An older page does not scroll. The first one has what arrived since.
      await page.getByRole("button", { name: "Older" }).click()
      await page.getByRole("button", { name: "Newer" }).and(page.locator(":enabled")).waitFor()
      await send(parcel)
      await page.getByRole("button", { name: "Newest" }).click()
      await row(page, parcel.message).waitFor()
      expect(await page.locator("*").count()).toBeLessThan(4000)
    })
  )

  it.effect("has the same columns for a fast and a slow request", () =>
    useInbox(async ({ page, send }) => {
      await send(code)
      await send({ ...code, recipient: "+15550000901" })
      await view(page, "Requests")
      const statuses = page.getByText("status 202")
      await statuses.nth(1).waitFor()
      const [slow, fast] = await statuses.evaluateAll((found) =>
        found.map((status) => status.getBoundingClientRect().left)
      )
      expect(slow).toBe(fast)
    })
  )

  it.effect("fits a phone, with one pane at a time", () =>
    useInbox(async ({ page, send }) => {
      await send(code)
      await row(page, code.message).click()
      await detail(page).getByRole("heading", { name: code.recipient }).waitFor()
      expect(await row(page, code.message).isVisible()).toBe(false)
      await page.getByRole("button", { name: "SANDBOX_SENT" }).waitFor()
      expect(await widerThanWindow(page)).toEqual([])
      await page.goBack()
      await row(page, code.message).waitFor()
      expect(await detail(page).isVisible()).toBe(false)
      await row(page, code.message).click()
      await page.getByRole("link", { name: "Messages", exact: true }).click()
      await row(page, code.message).waitFor()
      for (const name of ["Requests", "Send"] as const) {
        await view(page, name)
        expect(await widerThanWindow(page)).toEqual([])
      }
    }, phone)
  )

  it.effect("is dark or light like the system, or as the switch is set", () =>
    useInbox(
      async ({ page }) => {
        const scheme = () =>
          page.evaluate(() => {
            const [red = 0] = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []
            return Number(red) < 128 ? "dark" : "light"
          })
        expect(await scheme()).toBe("dark")
        await page.emulateMedia({ colorScheme: "light" })
        expect(await scheme()).toBe("light")
        await page.getByRole("button", { name: "Switch to light" }).click()
        await page.getByRole("button", { name: "Switch to dark" }).click()
        expect(await scheme()).toBe("dark")
        await page.reload()
        expect(await scheme()).toBe("dark")
      },
      { colorScheme: "dark" }
    )
  )

  it.effect("has no animations if the user prefers reduced motion", () =>
    useInbox(
      async ({ page, url }) => {
        await page.route("**/_sandbox/events", (route) => route.abort())
        await page.goto(`${url}/?again`)
        const state = page.getByText("Connecting…").locator("..")
        const animation = () =>
          state.evaluate((element) => getComputedStyle(element, "::before").animationName)
        expect(await animation()).toBe("none")
        await page.emulateMedia({ reducedMotion: "no-preference" })
        expect(await animation()).not.toBe("none")
      },
      { reducedMotion: "reduce" }
    )
  )

  it.effect("is one file of at most 60 kB, compressed", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox
      const html = yield* Effect.promise(() => fetch(baseUrl).then((page) => page.text()))
      expect(html).toContain('<script type="module">')
      expect(html).not.toMatch(/<(script|link|img)[^>]*(src|href)="(?!data:)/)
      expect(gzipSync(html).length).toBeLessThan(60_000)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})
