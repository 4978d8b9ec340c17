/** Makes the picture of the inbox in `docs/images`, in light and dark. Needs Chromium. */
import { startSandbox } from "@messaging-topup/sandbox/promise"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

// oxlint-disable no-await-in-loop -- one after the other

const folder = fileURLToPath(new URL("../../../docs/images/", import.meta.url))

const lost = "Your code is 4711. It is valid for ten minutes. Tell it to nobody."

/** The last one is on top. */
const seeds = [
  {
    recipient: "+447700900042",
    sender_id: "Trattoria",
    message: "Your table for two is confirmed for tonight at 19:30. Reply CANCEL to cancel.",
    status: "SANDBOX_DELIVERED"
  },
  {
    recipient: "+447700900011",
    sender_id: "Nadia",
    message: "Saturday, 8 pm, at ours! Bring your dancing shoes. Ça va être bien.",
    status: "SANDBOX_SENT"
  },
  // The suffix resets the connection after acceptance: the client cannot know that it was sent.
  { recipient: "+15550000900", sender_id: "Acme", message: lost }
]

await using sandbox = await startSandbox()
const headers = { authorization: `Bearer ${sandbox.token}`, "content-type": "application/json" }
for (const { status, ...sms } of seeds) {
  const { length } = await sandbox.requests()
  const body = JSON.stringify(sms)
  await fetch(`${sandbox.baseUrl}/sms/send`, { method: "POST", headers, body }).catch(() => {})
  const { messages } = await sandbox.until(({ requests }) => requests.length > length)
  if (status !== undefined) await sandbox.setStatus(messages[0]?.message_id ?? "", status)
}

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"]
})
for (const colorScheme of ["light", "dark"] as const) {
  const page = await browser.newPage({
    colorScheme,
    viewport: { width: 1280, height: 800 },
    locale: "en-GB"
  })
  await page.goto(sandbox.baseUrl)
  await page.getByText("Live", { exact: true }).waitFor()
  await page.getByRole("heading", { name: "+15550000900" }).waitFor()
  await page.screenshot({ path: `${folder}inbox-${colorScheme}.png` })
}
await browser.close()
