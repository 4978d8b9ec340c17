/** A transport to the sandbox without sockets. */
import {
  transportOver,
  type WireControl,
  type WireHandlers,
  type WireRequest
} from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { Body, bodyOf } from "../http/Body.ts"
import type { App } from "./App.ts"

/** As with `node:http`. The router's time to decode a path grows with the square of its length. */
const maxPathBytes = 16 * 1024

/** An error as Node's. */
const failed = (syscall: string, code: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall })

export const make = Effect.fnUntraced(function* (baseUrl: string, app: App) {
  const run = Effect.runForkWith(yield* Effect.context())

  const start = (request: WireRequest, handlers: WireHandlers): WireControl => {
    const { body = "", headers, method, origin, path } = request
    const hasStarted = handlers.start()
    let isAborted = false
    const control = { hasStarted: () => hasStarted, abort: () => {} }
    if (!hasStarted || origin !== baseUrl) {
      handlers.fail(failed("getaddrinfo", "ENOTFOUND"), hasStarted)
      return control
    }
    const write = (response: Response) => {
      handlers.head(response.status, () => response.headers)
      return Stream.runForEach(bodyOf(response), (chunk) => Effect.sync(() => handlers.data(chunk)))
    }
    const served =
      path.length > maxPathBytes
        ? write(new Response(null, { status: 431 }))
        : app({ method, url: path, headers, body: Body.of(body) }, Effect.void, write)
    const fiber = run(served)
    fiber.addObserver((exit) => {
      if (isAborted) return
      if (Exit.isSuccess(exit)) handlers.end()
      else handlers.fail(failed("read", "ECONNRESET"), true)
    })
    return {
      ...control,
      abort: () => {
        isAborted = true
        fiber.interruptUnsafe()
      }
    }
  }

  return transportOver({ headers: {}, start })
})
