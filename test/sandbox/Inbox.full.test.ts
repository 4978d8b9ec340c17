import { expect } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import type { Page } from "playwright-core"
import { newPage, noBrowser, violation } from "../harness/Browser.ts"
import { failuresIn, inboxIn, inboxTests, useInbox } from "../harness/sandbox/InboxPage.ts"

if (noBrowser !== undefined) console.warn(`The inbox tests are skipped: ${noBrowser}`)

const phone = { viewport: { width: 390, height: 844 } }

const code = { recipient: "+15551234567", message: "Your code is 4711", sender_id: "ACME" }
const parcel = { recipient: "+15557654321", message: "Your parcel is on its way" }
const lost = { recipient: "+15550000900", message: "Your table is ready" }

/** The SMS in the detail pane. */
const detail = (page: Page) => page.getByRole("region", { name: "Message", exact: true })

const requestRows = (page: Page) =>
  page.getByRole("region", { name: "Requests" }).getByRole("listitem")

/** The name of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: element, body } = document
    if (element === null || element === body) return ""
    return element.getAttribute("aria-label") ?? element.textContent.trim()
  })

/** Uses only the Tab key. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab")
    if ((await focused(page)).includes(name)) return
  }
  throw new Error(`The Tab key does not reach "${name}"`)
}

inboxTests("the inbox", (it) => {
  it.effect("shows an SMS as soon as it is accepted", () =>
    useInbox(async ({ live, page, row, send }) => {
      await page.getByRole("heading", { name: "No messages yet" }).waitFor()
      await page
        .getByText("export MESSAGING_TOPUP_TOKEN: the token that the sandbox printed")
        .waitFor()
      await live()
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
      await send({
        ...code,
        scheduled_time: "2030-01-15T08:00:00Z",
        webhook_url: "https://example.com/hook"
      })
      await row(code.message).waitFor()
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
      await page.getByRole("link", { name: "Messages 1" }).waitFor()
      expect(await page.evaluate(() => "isSamePage" in globalThis)).toBe(true)
    })
  )

  it.effect("shows what forces UCS-2, and marks an SMS whose response was lost", () =>
    useInbox(async ({ page, row, send }) => {
      await send({ recipient: "+15551234567", message: "ça va 🎉\u200b" })
      await row("ça va").waitFor()
      const shown = await detail(page).innerText()
      for (const text of ["UCS-2", "U+00E7", "U+1F389", "U+200B"]) expect(shown).toContain(text)
      await send(lost).catch(() => {})
      await row(lost.message).getByText("0900: The connection is reset").waitFor()
    })
  )

  it.effect("keeps the message that it shows, so that no click meets another one", () =>
    useInbox(async ({ page, row, send }) => {
      await send(code)
      await row(code.message).waitFor()
      await send(parcel)
      await row(parcel.message).waitFor()
      await detail(page).getByRole("heading", { name: code.recipient }).waitFor()
      await detail(page).getByRole("button", { name: "SANDBOX_DELIVERED" }).click()
      await row(code.message).getByText("SANDBOX_DELIVERED").waitFor()
      await row(parcel.message).getByText("SANDBOX_QUEUED").waitFor()
    })
  )

  it.effect(
    "counts all messages that there were, also in the title, and says how many are kept",
    () =>
      useInbox(
        async ({ page, row, send }) => {
          for (let n = 1; n <= 5; n++) await send({ ...code, message: `Number ${n}.` })
          await page.getByRole("link", { name: "Messages 5" }).waitFor()
          await page.waitForFunction(() => document.title === "(5) Sandbox inbox")
          await page.getByText("The sandbox keeps the newest 3.").waitFor()
          expect(await row("Number").count()).toBe(3)
        },
        { sandbox: { maxMessages: 3 } }
      )
  )

  it.effect("marks what is not seen, and fields that the service does not describe", () =>
    useInbox(async ({ page, row, send, view }) => {
      await send({ ...code, recipient: "\u202e7654321555 1+", senderId: "Acme" })
      await row("U+202E7654321555 1+").waitFor()
      await detail(page).getByRole("heading", { name: "U+202E7654321555 1+" }).waitFor()
      await view("Requests")
      await requestRows(page).getByText("Unknown field senderId").waitFor()
    })
  )

  it.effect("copies the id, the text, and a command that sends the SMS again", () =>
    useInbox(
      async ({ live, page, row, send }) => {
        await live()
        const message = 'It\'s\n"here" — 4711'
        const { data } = await (await send({ ...code, message })).json()
        await row("4711").waitFor()
        const copied = async (name: string) => {
          await detail(page).getByRole("button", { name, exact: true }).click()
          await detail(page).getByRole("button", { name: "Copied" }).waitFor()
          const text = await page.evaluate(() => navigator.clipboard.readText())
          await detail(page).getByRole("button", { name, exact: true }).waitFor()
          return text
        }
        expect(await copied("Copy")).toBe(data[0].message_id)
        expect(await copied("Copy text")).toBe(message)
        await page
          .getByTitle("export MESSAGING_TOPUP_TOKEN: the token that the sandbox printed")
          .waitFor()
        const command = await copied("Copy as curl")
        expect(command).toContain("/sms/send")
        const printed = execFileSync("sh", ["-c", command.replace("curl", "printf '%s\\n'")], {
          encoding: "utf8"
        })
        expect(JSON.parse(printed.trim().split("\n").at(-1) ?? "")).toEqual({ ...code, message })
      },
      { permissions: ["clipboard-read", "clipboard-write"] }
    )
  )

  it.effect("acts once, also on a double click while the response is slow", () =>
    useInbox(async ({ live, page, row, send }) => {
      await live()
      await send(code)
      await row(code.message).waitFor()
      const held = Promise.withResolvers<void>()
      const asked: Array<string> = []
      await page.route("**/_sandbox/messages/*/status", async (route) => {
        asked.push(route.request().method())
        await held.promise
        await route.continue()
      })
      await detail(page).getByRole("button", { name: "SANDBOX_DELIVERED" }).dblclick()
      held.resolve()
      await row(code.message).getByText("SANDBOX_DELIVERED").waitFor()
      expect(asked).toEqual(["POST"])
    })
  )

  it.effect(
    "has a colour for a fault, another for what is queued, and says by colour if it is live",
    () =>
      useInbox(async ({ live, page, send, row, url }) => {
        const colour = (selector: string) =>
          page
            .locator(selector)
            .first()
            .evaluate((element) => getComputedStyle(element).color)
        await live()
        const isLive = await colour("#state")
        await send(lost).catch(() => {})
        await row(lost.message).waitFor()
        expect(await colour("#list .status")).toBe(await colour("#list .hint"))
        expect(await colour("#list .fault")).not.toBe(await colour("#list .status"))
        const again = Promise.withResolvers<void>()
        let failed = 0
        // The first one fails, and the next one gets no response.
        await page.route(`${url}/**`, (route) => (failed++ > 0 ? again.resolve() : route.abort()))
        await send(code)
        await again.promise
        expect(await page.locator("#state").textContent()).toBe("Connecting…")
        expect(await colour("#state")).toBe(await colour("#list .fault"))
        expect(isLive).not.toBe(await colour("#state"))
      })
  )

  it.effect("sets a fault, shows what it refused, and clears it", () =>
    useInbox(async ({ live, page, send, view }) => {
      await live()
      const menu = page.locator("#set-fault")
      const fault = page.getByRole("region", { name: "Current fault" })
      await page.getByText("Set fault", { exact: true }).first().click()
      await menu.getByLabel("Status").fill("418")
      await menu.getByRole("textbox", { name: "Body" }).fill('{"short":true}')
      await menu.getByRole("button", { name: "Set fault" }).click()
      await fault.getByText("A response of your own, 418 · next request").waitFor()

      const response = await send(code)
      expect([response.status, await response.json()]).toEqual([418, { short: true }])
      await fault.waitFor({ state: "detached" })
      expect((await send(parcel)).status).toBe(202)
      expect((await send({ recipient: "+15551234567" })).status).toBe(400)
      expect((await send({ ...code, recipient: "+15550000402" })).status).toBe(402)

      await view("Requests")
      await requestRows(page).nth(3).waitFor()
      const [forced, refused, accepted, faulty] = await requestRows(page).allInnerTexts()
      expect(forced).toMatch(/POST\s+\/sms\/send\s+.*402\s+\d+ ms\s+0402: 402/s)
      expect(refused).toMatch(/400\s+\d+ ms\s+message/s)
      expect(accepted).toMatch(/202\s+\d+ ms\s+SMS accepted/s)
      expect(faulty).toMatch(/418\s+\d+ ms\s+A response of your own/s)
      expect(faulty).toContain(`to ${code.recipient}`)
      const opened = requestRows(page).nth(2)
      await opened.getByText("POST").click()
      await opened.getByText(`"message": "${parcel.message}"`).waitFor()
      // Another request arrives, and this one stays open.
      await send(code)
      await requestRows(page).nth(4).waitFor()
      await requestRows(page).nth(3).getByText("Accepted as").waitFor()
      await requestRows(page).nth(3).getByRole("link").click()
      await detail(page).getByRole("heading", { name: parcel.recipient }).waitFor()
      await detail(page).getByRole("link", { name: "POST /sms/send" }).click()
      await requestRows(page).first().getByText(`"message": "${parcel.message}"`).waitFor()

      await page.getByText("Set fault", { exact: true }).first().click()
      await menu.getByLabel("What goes wrong").selectOption("No response")
      await menu.getByLabel("Accept the SMS first").check()
      await menu.getByLabel("For how many").fill("")
      await menu.getByLabel("Share, such").fill("1")
      await menu.getByLabel("Seed").fill("7")
      await menu.getByRole("button", { name: "Set fault" }).click()
      await fault
        .getByText("No response, SMS accepted · 100 % of the requests, until cleared")
        .waitFor()
      await page.getByRole("button", { name: "Clear fault" }).click()
      await fault.waitFor({ state: "detached" })
      expect((await send(code)).status).toBe(202)
    })
  )

  it.effect("offers every fault, and shows why one could not be set, as plain text", () =>
    useInbox(async ({ live, page, url }) => {
      await live()
      const current = async () => (await fetch(`${url}/_sandbox/fault`)).json()
      const menu = page.locator("#set-fault")
      const open = page.getByText("Set fault", { exact: true }).first()
      const submit = menu.getByRole("button", { name: "Set fault" })
      await open.click()
      const select = menu.getByLabel("What goes wrong")
      const names = await select
        .locator("option")
        .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
      expect(names).toHaveLength(8)
      for (const name of names) {
        await select.selectOption(name)
        await menu.getByLabel("For how many").fill("7")
        await submit.click()
        await submit.waitFor({ state: "hidden" })
        expect(await current()).toMatchObject({ fault: { fault: name, times: 7 } })
        await open.click()
      }
      await select.selectOption("Slow")
      await menu.getByLabel("Seconds").fill("0.25")
      await submit.click()
      await submit.waitFor({ state: "hidden" })
      expect(await current()).toEqual({ fault: { fault: "Slow", seconds: 0.25, times: 1 } })
      await open.click()
      await select.selectOption("Response")
      await menu.getByText("The client sees that response. SMS accepted: no.").waitFor()
      await menu.getByLabel("Status").fill("204")
      await menu.getByRole("textbox", { name: "Body" }).fill("x")
      await submit.click()
      await menu.getByRole("alert").getByText("400: body: A response with status 204").waitFor()
      expect(await current()).toMatchObject({ fault: { fault: "Slow" } })
      await menu.getByLabel("Status").fill("302")
      await menu.getByRole("textbox", { name: "Body" }).fill("")
      await menu
        .getByRole("textbox", { name: "Headers" })
        .fill("Location: http://a.invalid/b\nRetry-After:5\n")
      await submit.click()
      await submit.waitFor({ state: "hidden" })
      expect(await current()).toMatchObject({
        fault: { headers: { Location: "http://a.invalid/b", "Retry-After": "5" }, status: 302 }
      })
      // Its settings close without setting anything.
      for (const close of [() => page.keyboard.press("Escape"), () => page.mouse.click(20, 700)]) {
        await open.click()
        await submit.waitFor()
        await close()
        await submit.waitFor({ state: "hidden" })
      }
    })
  )

  it.effect("sets the status of a message", () =>
    useInbox(async ({ page, row, send }) => {
      await send(code)
      await row(code.message).click()
      await detail(page).getByRole("button", { name: "SANDBOX_DELIVERED" }).click()
      await detail(page).getByRole("button", { pressed: true, name: "DELIVERED" }).waitFor()
      await row("SANDBOX_DELIVERED").waitFor()
      await page.getByLabel("Other status").fill('LOST "AT" SEA')
      await page.keyboard.press("Enter")
      await row('LOST "AT" SEA').waitFor()
    })
  )

  it.effect("searches in the text and in the recipient, and keeps what is being written", () =>
    useInbox(async ({ live, page, row, send }) => {
      await send(code)
      await send(parcel)
      const search = page.getByRole("searchbox")
      await search.fill("PARCEL")
      await page.keyboard.press("Enter")
      await row(code.message).waitFor({ state: "detached" })
      await row(parcel.message).waitFor()
      // A message that does not match is not shown, but counted.
      await live()
      await search.fill("1 555 123")
      await page.getByLabel("Other status").fill("HALF")
      await send({ ...code, message: "Another one" })
      await page.getByRole("link", { name: "Messages 3" }).waitFor()
      expect(await row("").count()).toBe(1)
      expect(await search.inputValue()).toBe("1 555 123")
      expect(await page.getByLabel("Other status").inputValue()).toBe("HALF")
      await search.press("Enter")
      await row(parcel.message).waitFor({ state: "detached" })
      expect(await row("").count()).toBe(2)
      await search.fill("nothing")
      await search.press("Enter")
      await page.getByText("No message matches the search.").waitFor()
      await page.getByRole("link", { name: "Show all" }).click()
      await row(code.message).waitFor()
      expect(await row("").count()).toBe(3)
    })
  )

  it.effect("clears everything after a confirmation", () =>
    useInbox(async ({ page, row, send, view }) => {
      await send(code)
      await row(code.message).waitFor()
      page.once("dialog", (dialog) => void dialog.dismiss())
      await page.getByRole("button", { name: "Clear all" }).click()
      await row(code.message).waitFor()
      page.once("dialog", (dialog) => void dialog.accept())
      await page.getByRole("button", { name: "Clear all" }).click()
      await page.getByRole("heading", { name: "No messages yet" }).waitFor()
      await view("Requests")
      await page.getByText("No requests yet.").waitFor()
    })
  )

  for (const viewport of [phone.viewport, { width: 1280, height: 800 }]) {
    it.effect(`shows hostile texts as plain text, ${viewport.width} pixels wide`, () =>
      useInbox(
        async ({ page, row, send, url, view, widerThanWindow }) => {
          const markup = `<img src=x onerror=alert(1)><script>alert(2)</script>`
          let dialogs = 0
          page.on("dialog", (dialog) => {
            dialogs++
            void dialog.dismiss()
          })
          const text = `${markup}\u202E${"x".repeat(3000)}</p></section>"'\`\${alert(5)}`
          await send({
            recipient: `+1555\u202E000${"9".repeat(300)}<b>`,
            message: text,
            sender_id: `</bdi><b>\u2066"'`,
            webhook_url: "javascript:alert(3)",
            scheduled_time: `"><svg onload=alert(4)>`
          })
          const { messages } = await (await fetch(`${url}/_sandbox/messages`)).json()
          await fetch(`${url}/_sandbox/messages/${messages[0].message_id}/status`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ status: `"><script>alert(6)</script>` })
          })
          await row(markup).click()
          const shown = await detail(page).innerText()
          for (const each of [markup, "</bdi><b>", "javascript:alert(3)", "<svg onload", "(6)"]) {
            expect(shown).toContain(each)
          }
          const active = "main :is(img, script, b, svg, [href^='javascript'], [onerror])"
          expect(await page.locator(active).count()).toBe(0)
          expect(await widerThanWindow()).toEqual([])
          // The content after a text keeps its direction and its place.
          const isolated = await page
            .locator("bdi, .bubble, .excerpt")
            .evaluateAll((elements) => elements.map((el) => getComputedStyle(el).unicodeBidi))
          expect(new Set(isolated)).toEqual(new Set(["isolate"]))

          await fetch(`${url}/sms/%3Cb%3E${"%22".repeat(200)}<script>alert(7)</script>`)
          await view("Requests")
          await page.getByText("POST").click()
          await page.getByRole("region", { name: "Body" }).getByText("<script>alert(2)").waitFor()
          expect(await widerThanWindow()).toEqual([])
          const search = new URLSearchParams({ search: `"><script>alert(8)</script>`, id: `"><b>` })
          await page.goto(`${url}/?${search.toString()}`)
          await page.getByText("This message is gone").waitFor()
          expect(await page.locator(active).count()).toBe(0)
          expect(dialogs).toBe(0)
        },
        { viewport }
      )
    )
  }

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
    useInbox(async ({ live, page, row, send }) => {
      const { keyboard } = page
      await send(parcel)
      await send(code)
      await live()
      await tabTo(page, parcel.message)
      const outline = await page.evaluate(() => {
        const { activeElement: element } = document
        return element === null ? "none" : getComputedStyle(element).outlineStyle
      })
      expect(outline).toBe("solid")
      await keyboard.press("Enter")
      await detail(page).getByRole("heading", { name: parcel.recipient }).waitFor()
      // The list still has the focus, also when something arrives.
      await page.waitForFunction(() => document.activeElement?.matches(".row"))
      await send(code)
      await page.getByRole("link", { name: "Messages 3" }).waitFor()
      expect(await focused(page)).toContain(parcel.message)
      await tabTo(page, "SANDBOX_SENT")
      await keyboard.press("Enter")
      await row("SANDBOX_SENT").waitFor()
      await page.goto(page.url().replace(/\?.*/, ""))
      await tabTo(page, "Set fault")
      await keyboard.press("Enter")
      await page.getByLabel("What goes wrong").waitFor()
    })
  )

  it.effect("reconnects to a sandbox that started anew, and shows what it has", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const build = (port: number, within: Scope.Scope) =>
        Effect.map(Layer.buildWithScope(Sandbox.layer({ port }), within), Context.get(Sandbox))
      const first = yield* build(0, scope)
      const page = yield* newPage({})
      const { live, row } = inboxIn(page)
      yield* Effect.promise(() => page.goto(first.baseUrl))
      yield* Effect.promise(live)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => page.getByText("Connecting…").waitFor())
      const again = yield* build(Number(new URL(first.baseUrl).port), yield* Effect.scope)
      const headers = {
        authorization: `Bearer ${Redacted.value(again.token)}`,
        "content-type": "application/json"
      }
      yield* Effect.promise(() =>
        fetch(`${again.baseUrl}/sms/send`, { method: "POST", headers, body: JSON.stringify(code) })
      )
      yield* Effect.promise(() => row(code.message).waitFor())
      yield* Effect.promise(live)
    }).pipe(Effect.scoped)
  )

  it.effect("has pages, keeps its place in a list, and stays quick with 1,000 messages", () =>
    useInbox(async ({ live, page, row, send, url }) => {
      const numbers = Array.from({ length: 1000 }, (_, index) => index + 1)
      const senders = (left: number) =>
        Array.from({ length: 20 }, async () => {
          while (numbers.length > left) {
            await send({ ...code, message: `Message number ${numbers.shift()}.` })
          }
        })
      await page.goto("about:blank")
      await Promise.all(senders(100))
      await page.goto(url)
      await live()
      await Promise.all(senders(0))
      await page.getByRole("link", { name: "Messages 1,000" }).waitFor()
      expect(await row("Message number").count()).toBe(100)
      await row("Message number").nth(60).scrollIntoViewIfNeeded()
      const scrolled = () => page.locator("#pane").evaluate((pane) => pane.scrollTop)
      const place = await scrolled()
      await row("Message number").nth(60).click()
      await page.waitForURL(/id=/)
      expect(await scrolled()).toBe(place)

      const newest = await row("Message number").first().innerText()
      await page.getByRole("link", { name: "Older" }).click()
      await row(newest).waitFor({ state: "detached" })
      // Between two pages, no row is there.
      await row("Message number").nth(99).waitFor()
      expect(await row("Message number").count()).toBe(100)
      await send(parcel)
      await page.getByRole("link", { name: "Newest" }).click()
      await row(parcel.message).waitFor()
    })
  )

  it.effect("shows one pane at a time on a phone", () =>
    useInbox(async ({ page, row, send, url }) => {
      await send(code)
      await row(code.message).waitFor()
      expect(await detail(page).isVisible()).toBe(false)
      await page.goto("about:blank")
      for (let n = 1; n <= 101; n++) await send({ ...code, message: `Number ${n}.` })
      await page.goto(url)
      await page.getByRole("searchbox").fill("number")
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "Older" }).click()
      await row("Number 1.").click()
      await detail(page).getByText("Number 1.", { exact: true }).waitFor()
      expect(await row("Number 1.").isVisible()).toBe(false)
      // The way back keeps the search and the page.
      await page.getByRole("link", { name: "‹ Back" }).click()
      await row("Number 1.").waitFor()
      expect(await row("Number").count()).toBe(1)
    }, phone)
  )

  it.effect("is read, searched and paged without JavaScript, and says that forms need it", () =>
    useInbox(
      async ({ page, row, send, url, view }) => {
        for (let n = 1; n <= 101; n++) await send({ ...code, message: `Number ${n}.` })
        await page.goto(url)
        expect(await page.locator("noscript").innerText()).toContain("only curl sets")
        expect(await page.locator(".copy:visible").count()).toBe(0)
        await page.getByRole("link", { name: "Older" }).click()
        await row("Number 1.").click()
        await detail(page).getByText("Number 1.", { exact: true }).waitFor()
        await page.getByRole("searchbox").fill("number 47.")
        await page.keyboard.press("Enter")
        await page.waitForURL(/number\+47/)
        expect(await row("Number").allInnerTexts()).toEqual([expect.stringContaining("Number 47.")])
        const before = page.url()
        await detail(page).getByRole("button", { name: "SANDBOX_SENT" }).click()
        expect(page.url()).toBe(before)
        await view("Requests")
        await requestRows(page).first().getByText("POST").click()
        await page.getByText('"message": "Number 101."').waitFor()
      },
      { javaScriptEnabled: false }
    )
  )

  it.effect("asks for the token beyond loopback, and works with it", () =>
    useInbox(
      async ({ live, page, row, send, url }) => {
        await page.goto(url)
        await live()
        await send(code)
        await row(code.message).waitFor()
        await detail(page).getByRole("button", { name: "SANDBOX_DELIVERED" }).click()
        await row("SANDBOX_DELIVERED").waitFor()
        expect(await page.content()).not.toContain("network-token")
      },
      {
        sandbox: { host: "0.0.0.0", token: Redacted.make("network-token") },
        httpCredentials: { username: "any", password: "network-token" }
      }
    )
  )
})
