/** Makes the pictures of the inbox and of the first run in `docs/images`. Needs Chromium. */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import { firstRun } from "./FirstRun.ts"
import { buildInbox } from "./Inbox.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const folder = at("../../../docs/images/")

interface Sms {
  readonly recipient: string
  readonly message?: string
  readonly sender_id?: string
  readonly scheduled_time?: string
  readonly webhook_url?: string
  /** Set after the SMS is accepted. */
  readonly status?: string
}

const party =
  "Saturday, 8 pm, at ours! 🎉 Bring your dancing shoes and something sweet. Ça va être bien 🎂"

const seeds: ReadonlyArray<Sms> = [
  {
    recipient: "+15551230042",
    sender_id: "Trattoria",
    message: "Your table for two is confirmed for tonight at 19:30. Reply CANCEL to cancel.",
    status: "SANDBOX_DELIVERED"
  },
  // Refused, because it has no text.
  { recipient: "+15551239001", sender_id: "Trattoria" },
  {
    recipient: "+15551230177",
    sender_id: "Clinic",
    message: "Reminder: your appointment is on Tuesday at 09:15. Please bring your insurance card.",
    scheduled_time: "2030-01-15T08:00:00Z",
    webhook_url: "https://example.com/webhooks/sms"
  },
  // The suffix forces 402.
  { recipient: "+15550000402", sender_id: "Orchard", message: "Your invoice is ready." },
  {
    recipient: "+15551230099",
    sender_id: "Orchard",
    message:
      "Your parcel is on its way. It left the warehouse this morning and arrives between 14:00 and 16:00. The driver calls ten minutes before. If nobody is in, it goes to the shop on the corner, where it waits for seven days. Please bring a document with your name on it.",
    status: "SANDBOX_SENT"
  },
  { recipient: "+15551230011", sender_id: "Nadia", message: party, status: "SANDBOX_SENT" },
  {
    recipient: "+15551234567",
    sender_id: "Acme",
    message: "Your code is 4711. It is valid for ten minutes. Tell it to nobody."
  }
]

const post = (url: string, token: string, body: object): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const idOf = (text: string): string | undefined => /"message_id":\s*"([^"]+)"/.exec(text)?.[1]

const seed = async (url: string, token: string): Promise<void> => {
  for (const { status, ...sms } of seeds) {
    // oxlint-disable-next-line no-await-in-loop -- the list shows them in this order
    const id = idOf(await (await post(`${url}/sms/send`, token, sms)).text())
    // oxlint-disable-next-line no-await-in-loop
    if (status !== undefined) await post(`${url}/_sandbox/messages/${id}/status`, token, { status })
  }
}

interface Shot {
  readonly name: string
  readonly colorScheme: "light" | "dark"
  readonly viewport: { readonly width: number; readonly height: number }
  readonly deviceScaleFactor: number
  readonly opens: boolean
}

const desktop = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 }
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }

const shots: ReadonlyArray<Shot> = [
  { name: "inbox-light", colorScheme: "light", ...desktop, opens: true },
  { name: "inbox-dark", colorScheme: "dark", ...desktop, opens: true },
  { name: "inbox-phone-light", colorScheme: "light", ...phone, opens: false },
  { name: "inbox-phone-dark", colorScheme: "dark", ...phone, opens: true }
]

const open = async (page: Page): Promise<void> => {
  await page.getByRole("link").filter({ hasText: party }).click()
  await page.getByRole("heading", { name: "+15551230011" }).waitFor()
  await page.mouse.move(0, 0)
}

const shoot = async (browser: Browser, url: string, shot: Shot): Promise<void> => {
  const { name, opens, ...options } = shot
  const context = await browser.newContext({ ...options, locale: "en-GB", reducedMotion: "reduce" })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByText("Live", { exact: true }).waitFor()
  await page.getByText(party).first().waitFor()
  if (opens) await open(page)
  await page.screenshot({ path: `${folder}${name}.png` })
  await context.close()
}

const takeAll = async (url: string, token: string): Promise<void> => {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium"
  const args = ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"]
  const browser = await chromium.launch({ executablePath, args })
  await firstRun(browser, url, token)
  await seed(url, token)
  for (const shot of shots) {
    // oxlint-disable-next-line no-await-in-loop -- one page at a time
    await shoot(browser, url, shot)
  }
  await browser.close()
}

mkdirSync(folder, { recursive: true })
await buildInbox(at("../dist/inbox.html"))
await Effect.runPromise(
  Effect.gen(function* () {
    const { baseUrl, token } = yield* Sandbox
    yield* Effect.promise(() => takeAll(baseUrl, Redacted.value(token)))
  }).pipe(Effect.provide(Sandbox.layer()))
)
