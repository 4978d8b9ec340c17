/** The page of the approval card in a browser, shown by the reference host of MCP Apps. */
import { beforeEach, expect, layer } from "@effect/vitest"
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { findings } from "../harness/Axe.ts"
import { Chromium, newPage, noBrowser } from "../harness/Browser.ts"
import { passTime } from "../harness/mcp/Clock.ts"
import { type GuardedServer, startGuarded } from "../harness/mcp/GuardedServer.ts"
import { openSandbox, type RealSandbox } from "../harness/mcp/RealSandbox.ts"
import type { CardHost } from "../harness/mcp/programs/cardHost.ts"

const disposed = <A extends AsyncDisposable>(open: () => Promise<A>) =>
  Effect.acquireRelease(
    Effect.promise(() => open()),
    (opened) => Effect.promise(async () => opened[Symbol.asyncDispose]())
  )

const origin = "http://host.test"

const style =
  "body{margin:8px;background:Canvas}iframe{width:100%;border:1px solid #8886;border-radius:12px}"

const bundled = build({
  entryPoints: [join(import.meta.dirname, "../harness/mcp/programs/cardHost.ts")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife"
})

/** The page of the host; `/mcp` is the server, so that no request of a browser reaches it. */
const serveHost = async (page: Page, mcp: string) => {
  const script = (await bundled).outputFiles[0]?.text ?? ""
  const asked: Array<string> = []
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><style>${style}</style><body><script>${script.replaceAll("</script", String.raw`<\/script`)}</script>`
  await page.route("**", async (route) => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    if (pathname === "/") return route.fulfill({ contentType: "text/html", body: html })
    if (pathname !== "/mcp") {
      asked.push(request.url())
      return route.abort()
    }
    const { origin: _origin, host: _host, ...headers } = request.headers()
    return route.fulfill({ response: await route.fetch({ url: mcp, headers }) })
  })
  await page.goto(`${origin}/`)
  return asked
}

interface Shown {
  readonly page: Page
  readonly card: ReturnType<Page["frameLocator"]>
  readonly upstream: RealSandbox
  readonly server: GuardedServer
  /** What else the browser asked for. */
  readonly others: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
  readonly open: (name: string, args: object, context?: McpUiHostContext) => Promise<void>
  readonly host: () => Promise<Pick<CardHost, "tools" | "result" | "told">>
}

const show = Effect.fnUntraced(function* (args: ReadonlyArray<string> = [], width = 640) {
  const upstream = yield* disposed(openSandbox)
  const server = yield* disposed(() => startGuarded("http", args, upstream.env))
  const page = yield* newPage({ viewport: { width, height: 700 } })
  const problems: Array<string> = []
  page.on("pageerror", ({ message }) => problems.push(message))
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text())
  })
  page.on("dialog", (dialog) => {
    problems.push("a dialog")
    void dialog.dismiss()
  })
  const others = yield* Effect.promise(() => serveHost(page, server.url ?? ""))
  const shown: Shown = {
    page,
    card: page.frameLocator("iframe"),
    upstream,
    server,
    others,
    problems,
    open: async (name, given, context = { theme: "light" }) => {
      const settings = JSON.stringify({ name, args: given, context })
      await page.evaluate((json) => globalThis.openCard(json), settings)
    },
    host: () =>
      page.evaluate(() => {
        const { result, told, tools } = globalThis.host
        return { result, told, tools }
      })
  }
  return shown
})

/** Each test has a server and a page of its own. */
const withCard =
  (run: (shown: Shown) => Promise<void>, args?: ReadonlyArray<string>, width?: number) => () =>
    Effect.flatMap(show(args, width), (shown) => Effect.promise(() => run(shown)))

const sms = { recipient: "+254700000001", message: "Hello" }

const hundred = Array.from({ length: 100 }, (_, at) => `+2547000001${String(at).padStart(2, "0")}`)

const hostile = `<img src="https://evil.test/x" onerror="alert(1)"><script>alert(2)</script>\n\u202eevil\u2066 \u05e9\u05dc\u05d5\u05dd, 12`

const inBrowser = layer(Chromium.layer, { excludeTestServices: true, timeout: "60 seconds" })

inBrowser("the approval card in a browser", (it) => {
  beforeEach((context) => context.skip(noBrowser !== undefined, noBrowser))

  it.effect(
    "shows a hundred recipients and a hostile text as text, and sends them once the person approves",
    withCard(async ({ card, host, open, others, page, problems, upstream }) => {
      await open("send_sms_batch", { recipients: hundred, message: hostile })
      await card.getByRole("button", { name: "Send 100 SMS" }).waitFor()
      expect(await card.getByRole("listitem").allTextContents()).toEqual(hundred)
      for (const each of await card.getByRole("listitem").all()) {
        expect(await each.isVisible()).toBe(true)
      }
      const shown = hostile.replace("\u202e", "<U+202E>").replace("\u2066", "<U+2066>")
      expect(await card.locator("pre").textContent()).toBe(shown)
      // All of it fits in the frame, so that nothing is hidden.
      expect(
        await card
          .locator("html")
          .evaluate(({ clientHeight, scrollHeight, scrollWidth, clientWidth }) => [
            scrollHeight <= clientHeight,
            scrollWidth <= clientWidth
          ])
      ).toEqual([true, true])
      const before = await host()
      expect(before.tools).toContain("send_sms_batch")
      expect(before.tools).not.toContain("decide_sms")
      expect(before.told).toBeUndefined()
      expect(await upstream.messages()).toEqual([])
      passTime("1 second")
      await card.getByRole("button", { name: "Send 100 SMS" }).click()
      await card.getByText("100 of 100 SMS were sent.").waitFor()
      expect(await upstream.messages()).toHaveLength(100)
      await page.waitForFunction(() => globalThis.host.told !== undefined)
      expect((await host()).told).toMatchObject({
        content: [{ type: "text", text: expect.stringContaining("100 of 100 SMS were sent.") }],
        structuredContent: { outcome: "sent", approved_by: "person" }
      })
      expect(await card.getByRole("button").count()).toBe(0)
      expect(others).toEqual([])
      expect(problems).toEqual([])
    })
  )

  it.effect(
    "says what a no and a late answer did",
    withCard(async ({ card, host, open, page, server, upstream }) => {
      await open("send_sms", sms)
      passTime("1 second")
      await card.getByRole("button", { name: "Do not send" }).click()
      await card.getByText("This call sent nothing: the person declined.").waitFor()
      await page.waitForFunction(() => globalThis.host.told !== undefined)
      expect((await host()).told).toMatchObject({
        structuredContent: { outcome: "not-sent", code: "confirmation_declined" }
      })
      await page.reload()
      await open("send_sms", { ...sms, sender_id: "\u05e9\u05dc\u05d5\u05dd" })
      await card.locator("#facts bdi").first().waitFor()
      expect(await card.locator("#facts bdi").allTextContents()).toEqual([
        'from "\u05e9\u05dc\u05d5\u05dd"',
        "1 segment"
      ])
      await card
        .getByText(/^Only Send sends; expires at \d\d?:\d\d( [AP]M)?, \d\d? [A-Z][a-z]+\.$/)
        .waitFor()
      server.pass("11 minutes")
      await card.getByRole("button", { name: "Send" }).first().click()
      await card.getByText("or got no reply in time").waitFor()
      await card.getByText("The same call asks the person again.").waitFor()
      expect(await upstream.messages()).toEqual([])
    })
  )

  it.effect(
    "marks of a text or of a sender paint over nothing around them",
    withCard(async ({ card, open, page }) => {
      const marks = "\u0301\u0308\u030d".repeat(30)
      const picturesOf = async (given: object) => {
        await page.reload()
        await open("send_sms", given)
        await card.getByRole("button", { name: "Send" }).first().waitFor()
        const places = [card.locator("h1"), card.getByRole("listitem").first()]
        const pictures = places.map(async (place) => (await place.screenshot()).toString("base64"))
        return await Promise.all(pictures)
      }
      const plain = await picturesOf({ ...sms, sender_id: "ACME" })
      const marked = `H${marks}e${marks}l${marks}lo`
      expect(await picturesOf({ ...sms, message: marked, sender_id: "ACME" })).toEqual(plain)
      expect(await picturesOf({ ...sms, sender_id: `A${marks.slice(0, 70)}CME` })).toEqual(plain)
    })
  )

  const expired = "This question has expired: this card sends nothing any more."

  it.effect(
    "has no buttons once it is late, also where a host shows it again",
    withCard(async ({ card, open, page, server }) => {
      // Two seconds are left, or none if the machine is slow.
      server.pass("-598 seconds")
      await open("send_sms", sms)
      await card.getByText(expired).waitFor()
      expect(await card.getByRole("button").count()).toBe(0)
      await page.reload()
      server.pass("-1 minute")
      await open("send_sms", sms)
      await card.getByText(expired).waitFor()
      expect(await card.getByRole("button").count()).toBe(0)
    })
  )

  it.effect(
    "says which SMS of a batch were not sent and which are unknown, and why",
    withCard(async ({ card, open, page }) => {
      const recipients = [sms.recipient, "+15550000400", "+15550000900", "+254700000002"]
      await open("send_sms_batch", { recipients, message: "Hello" })
      await card.getByRole("button", { name: "Send 4 SMS" }).waitFor()
      passTime("1 second")
      await card.getByRole("button", { name: "Send 4 SMS" }).click()
      await card.getByText("2 of 4 SMS were sent. Not sent: 1.").waitFor()
      expect(await card.locator("#more > *").allTextContents()).toEqual([
        "Not sent:",
        "+15550000400",
        "Unknown whether sent:",
        "+15550000900",
        "The SMS was not sent. The service responded with HTTP 400, by its description Invalid Request Value.",
        "It is unknown whether the SMS was sent. The connection to the service broke off."
      ])
      const [frame] = page.frames().slice(1)
      expect(frame && (await findings(frame))).toEqual([])
    })
  )

  it.effect(
    "has words of its own for a question of a server that was started anew",
    withCard(async ({ card, open, page, upstream }) => {
      await open("send_sms", sms)
      await card.getByRole("button", { name: "Send", exact: true }).waitFor()
      await using anew = await startGuarded("http", [], upstream.env)
      await page.route("**/mcp", async (route) => {
        const { origin: _origin, host: _host, ...headers } = route.request().headers()
        return route.fulfill({ response: await route.fetch({ url: anew.url ?? "", headers }) })
      })
      passTime("1 second")
      await card.getByRole("button", { name: "Send", exact: true }).click()
      await card.getByText("This question is no longer valid").waitFor()
      expect(await upstream.messages()).toEqual([])
    })
  )

  it.effect(
    "that is closed sends nothing",
    withCard(async ({ card, host, open, page, upstream }) => {
      await open("send_sms", sms)
      await card.getByRole("button", { name: "Do not send" }).waitFor()
      await page.evaluate(() => globalThis.host.close())
      expect((await host()).told).toBeUndefined()
      expect(await upstream.messages()).toEqual([])
    })
  )

  it.effect(
    "asks again where the server does, and shows a result that asks nothing",
    withCard(async ({ card, open, page, server, upstream }) => {
      await open("send_sms", sms)
      await card.getByRole("button", { name: "Do not send" }).waitFor()
      // A clock that is set back does not tell how long somebody read.
      server.pass("-1 minute")
      await card.getByRole("button", { name: "Send", exact: true }).click()
      await card.getByRole("button", { name: "Send", exact: true }).waitFor()
      expect(await upstream.messages()).toEqual([])
      passTime("1 second")
      await card.getByRole("button", { name: "Send", exact: true }).click()
      await card.getByText("The SMS was sent: the service accepted it.").waitFor()
      expect(await upstream.messages()).toHaveLength(1)
      await page.reload()
      await open("send_sms", sms)
      await card
        .getByRole("heading", {
          name: /accepted the same SMS from an earlier call, at \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Until /
        })
        .waitFor()
      expect(await card.getByRole("button").count()).toBe(0)
    })
  )

  it.effect(
    "says that it is unknown what became of the SMS if it gets no result",
    withCard(async ({ card, host, open, page }) => {
      await open("send_sms", sms)
      await card.getByRole("button", { name: "Do not send" }).waitFor()
      await page.route("**/mcp", (route) => route.abort())
      await card.getByRole("button", { name: "Send", exact: true }).click()
      await card.getByText("It is unknown whether the SMS was sent").waitFor()
      await page.waitForFunction(() => globalThis.host.told !== undefined)
      expect((await host()).told).toMatchObject({ structuredContent: { outcome: "unknown" } })
    })
  )

  it.effect(
    "says that it sent nothing if it gets no result of a no",
    withCard(async ({ card, host, open, page }) => {
      await open("send_sms", sms)
      await card.getByRole("button", { name: "Do not send" }).waitFor()
      await page.route("**/mcp", (route) => route.abort())
      await card.getByRole("button", { name: "Do not send" }).click()
      await card.getByText("This card sent nothing.").waitFor()
      await page.waitForFunction(() => globalThis.host.told !== undefined)
      const { structuredContent } = (await host()).told as { readonly structuredContent: object }
      expect(structuredContent).toEqual({
        message: "This card sent nothing.",
        sent_by_this_call: false
      })
    })
  )

  for (const theme of ["light", "dark"] as const) {
    for (const width of [320, 640]) {
      it.effect(
        `has the theme of the host, ${theme}, and is accessible, ${width} pixels wide`,
        withCard(
          async ({ card, open, page }) => {
            await open("send_sms_batch", { recipients: hundred, message: hostile }, { theme })
            await card.getByRole("button", { name: "Send 100 SMS" }).waitFor()
            const colorOf = () =>
              card.locator("html").evaluate((root) => getComputedStyle(root).backgroundColor)
            expect(await colorOf()).toBe(
              theme === "light" ? "rgb(255, 255, 255)" : "rgb(25, 28, 27)"
            )
            const [frame] = page.frames().slice(1)
            expect(frame && (await findings(frame))).toEqual([])
            const variables = { "--color-background-primary": "rgb(1, 2, 3)" }
            await page.evaluate((styles) => globalThis.host.change({ styles: styles as never }), {
              variables
            })
            await expect.poll(colorOf).toBe("rgb(1, 2, 3)")
          },
          [],
          width
        )
      )
    }
  }
})
