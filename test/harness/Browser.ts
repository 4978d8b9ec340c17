/**
 * A page in headless Chromium.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core"

/** The first of them is not the whole browser, and takes a third of its CPU time. */
const programs = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]

const candidates =
  process.env["CHROMIUM"] === undefined
    ? programs.map((program) => `/usr/bin/${program}`)
    : [process.env["CHROMIUM"]]

const executablePath = candidates.find((path) => existsSync(path))

/** Why there is no browser, or `undefined` if there is one. */
export const noBrowser =
  executablePath === undefined
    ? `no Chromium at ${candidates.join(" or ")}: set CHROMIUM to its path`
    : undefined

const args = [
  // Tests run as root in containers, where Chromium's sandbox does not work.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** A headless browser that closes with the scope. */
const browser = Effect.acquireRelease(
  Effect.promise((): Promise<Browser> =>
    chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      headless: true,
      args
    })
  ),
  (launched) => Effect.promise(() => launched.close())
)

/** A browser that tests of one layer share. It starts only if there is one. */
export class Chromium extends Context.Service<Chromium, Effect.Effect<Browser>>()("Chromium") {
  static readonly layer = Layer.effect(
    Chromium,
    noBrowser === undefined
      ? Effect.map(browser, Effect.succeed)
      : Effect.succeed(Effect.die(noBrowser))
  )
}

/** Begins what a page says on its console when its policy blocks something. */
export const violation = "Violates the policy: "

/** A page in a context of its own, which closes with the scope. */
export const newPage = Effect.fnUntraced(function* (options: BrowserContextOptions) {
  const launched = yield* Effect.flatten(Chromium)
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => launched.newContext(options)),
    (opened) => Effect.promise(() => opened.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  yield* Effect.promise(() =>
    page.addInitScript((prefix) => {
      addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) =>
        console.error(prefix + violatedDirective, blockedURI)
      )
    }, violation)
  )
  return page
})
