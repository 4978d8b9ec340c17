/**
 * A page in headless Chromium.
 */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { reply, responseServer } from "./ResponseServer.ts"

const candidates =
  process.env["CHROMIUM"] === undefined
    ? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    : [process.env["CHROMIUM"]]

const executablePath = candidates.find((path) => existsSync(path))

/** Why there is no browser; `undefined` where there is one. */
export const noBrowser =
  executablePath === undefined
    ? `no Chromium at ${candidates.join(" or ")}: set CHROMIUM to where it is`
    : undefined

const args = [
  // Tests run as root in containers, where the sandbox cannot.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** Headless, and closed with the scope. */
export const browser = Effect.acquireRelease(
  Effect.promise((): Promise<Browser> =>
    chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      headless: true,
      args
    })
  ),
  (launched) => Effect.promise(() => launched.close())
)

const html = (script: string) =>
  `<!doctype html><title>Test</title><link rel="icon" href="data:,"><script type="module">${script}</script>`

/**
 * A page of an origin of its own that has run this module. The browser is closed with the scope,
 * however that ends.
 */
export const pageWith = (script: string) =>
  Effect.gen(function* () {
    const server = yield* responseServer
    server.respondWith(
      // A script that is closed early by its own text would end in nothing.
      reply(200, html(script.replaceAll("</script", "<\\/script")), {
        "content-type": "text/html; charset=utf-8"
      })
    )
    const launched = yield* browser
    return yield* Effect.promise(async (): Promise<Page> => {
      const page = await launched.newPage()
      const failures: Array<Error> = []
      page.on("pageerror", (error) => failures.push(error))
      await page.goto(server.baseUrl)
      if (failures.length > 0) throw new AggregateError(failures, "The page failed")
      return page
    })
  })
