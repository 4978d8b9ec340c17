import { expect } from "@effect/vitest"
import { findings } from "../harness/Axe.ts"
import { type Inbox, inboxTests, useInbox } from "../harness/sandbox/InboxPage.ts"

const messages = [
  { recipient: "+15551234567", message: "Your code is 4711", sender_id: "ACME" },
  { recipient: "+15551230011", message: "We are on! 🎉 ça va" },
  {
    recipient: "+15551230099",
    message: "Your parcel is on its way. ".repeat(20),
    scheduled_time: "2030-01-15T08:00:00Z",
    webhook_url: "https://example.com/hook"
  },
  { recipient: "+15550000402", message: "Refused" },
  { recipient: "+15550000902", message: "Broken" },
  { recipient: "+15551234567" }
]

/** Opens each state of the page. */
const walk = async (inbox: Inbox, check: (state: string) => Promise<void>) => {
  const { live, page, row, send, url, view } = inbox
  await live()
  for (const name of ["Messages", "Requests"] as const) {
    await view(name)
    await check(`${name}, empty`)
  }
  for (const fields of messages) await send(fields)
  await view("Requests")
  await page.getByText("0402: 402").first().click()
  await check("Requests")
  await view("Messages")
  await row("We are on!").waitFor()
  await check("Messages")
  await page.getByRole("searchbox").fill("parcel")
  await page.keyboard.press("Enter")
  await row("parcel").click()
  await page.getByRole("heading", { name: "+15551230099" }).waitFor()
  await check("a message")
  await page.getByRole("button", { name: "SANDBOX_DELIVERED" }).click()
  await page.getByRole("button", { name: "SANDBOX_DELIVERED", pressed: true }).waitFor()
  await check("a message that was delivered")
  await page.goto(`${url}/?search=nothing`)
  await check("a search without results")
  await page.goto(`${url}/?id=gone`)
  await check("a message that is gone")
  await page.getByText("Set fault", { exact: true }).first().click()
  await page.locator("#set-fault").getByLabel("Status").fill("204")
  await page.getByRole("textbox", { name: "Body" }).fill("x")
  await page.locator("#set-fault").getByRole("button", { name: "Set fault" }).click()
  await page.getByRole("alert").getByText("400").waitFor()
  await check("a fault that cannot be set")
  await page.getByRole("textbox", { name: "Body" }).fill("")
  await page.locator("#set-fault").getByRole("button", { name: "Set fault" }).click()
  await page.getByRole("region", { name: "Current fault" }).waitFor()
  await check("a fault that is set")
}

const isDark = ({ page }: Inbox): Promise<boolean> =>
  page.evaluate(() => {
    const [red = 0] = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []
    return Number(red) < 128
  })

inboxTests("axe finds nothing in the inbox, and all of it fits in the window", (it) => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 }
  ]) {
    it.effect(`light and dark, ${viewport.width} pixels wide`, () =>
      useInbox(
        async (inbox) => {
          const found: Record<string, ReadonlyArray<string>> = {}
          await walk(inbox, async (state) => {
            const here = [...(await findings(inbox.page)), ...(await inbox.widerThanWindow())]
            // A theme changes colours only.
            await inbox.page.emulateMedia({ colorScheme: "dark" })
            expect(await isDark(inbox)).toBe(true)
            here.push(...(await findings(inbox.page, ["color-contrast", "link-in-text-block"])))
            await inbox.page.emulateMedia({ colorScheme: "light" })
            expect(await isDark(inbox)).toBe(false)
            if (here.length > 0) found[state] = here
          })
          expect(found).toEqual({})
        },
        { viewport, reducedMotion: "reduce" }
      )
    )
  }

  it.effect("axe finds an image without a text", () =>
    useInbox(async ({ live, page }) => {
      await live()
      await page.evaluate(() => document.querySelector("main")?.append(new Image()))
      expect(await findings(page)).toContainEqual(expect.stringContaining("image-alt"))
    })
  )
})
