/**
 * A process that is frozen between the claim of rows and the start of their requests.
 */
import { expect, it } from "@effect/vitest"
import { Campaign } from "@messaging-topup/campaign"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { journalFile } from "../journal/support/Files.ts"
import { journalOf } from "../journal/support/JournalOf.ts"
import { counts, rows } from "./support/Rows.ts"
import { overHttp } from "./support/Service.ts"

const program = fileURLToPath(new URL("programs/freeze.ts", import.meta.url))

/** How many SMS the service accepted, and how many of them have the text of another one. */
const accepted = Effect.gen(function* () {
  const { messages: sms } = yield* Sandbox
  const texts = (yield* sms()).map(({ message }) => message)
  return { all: texts.length, twice: texts.length - new Set(texts).size }
})

/** Starts the program, and returns it once it is frozen. */
const frozen = Effect.fnUntraced(function* (place: string) {
  const { baseUrl, token } = yield* Sandbox
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, place, baseUrl, Redacted.value(token)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )
  yield* Effect.promise(() => once(child.stdout, "data"))
  return child
})

/** Lets the program continue, and waits until it ends. */
const thaw = (child: Effect.Success<ReturnType<typeof frozen>>) =>
  Effect.promise(() => {
    const exited = once(child, "exit")
    child.kill("SIGCONT")
    return exited
  })

it.live(
  "starts no request after its deadline, though a person resent its rows meanwhile",
  () =>
    Effect.gen(function* () {
      const place = `sqlite:${yield* journalFile}`
      const test = Effect.gen(function* () {
        yield* Campaign.load("c", rows(200))
        const child = yield* frozen(place)
        yield* Stream.runDrain(Campaign.resume("c"))
        // The other unknown rows were in flight when the process froze. The service has accepted them.
        const { messages: sms } = yield* Sandbox
        const known = new Set((yield* sms()).map(({ message }) => message))
        const unknown = yield* Stream.runCollect(Campaign.results("c", { state: "unknown" }))
        const keys = unknown.flatMap(({ key, request }) =>
          known.has(request.message) ? [] : [key]
        )
        expect(keys.length).toBeGreaterThan(0)
        // The frozen process may still start these requests in time.
        const early = yield* Campaign.resolveUnknown("c", "resend", { keys })
        expect(early.rows).toBe(0)
        expect(early.refused).toHaveLength(keys.length)
        yield* Effect.sleep("10 seconds")
        const late = yield* Campaign.resolveUnknown("c", "resend", { keys })
        expect(late).toEqual({ rows: keys.length, refused: [] })
        yield* Stream.runDrain(Campaign.resume("c"))
        yield* thaw(child)
        expect(yield* accepted).toEqual({ all: 200, twice: 0 })
        expect(yield* counts).toMatchObject({ sent: 200 })
      })
      yield* Effect.provide(test, Layer.merge(journalOf(place), overHttp))
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "starts no request after a cancel and the deadline",
  () =>
    Effect.gen(function* () {
      const place = `sqlite:${yield* journalFile}`
      const test = Effect.gen(function* () {
        yield* Campaign.load("c", rows(200))
        const child = yield* frozen(place)
        yield* Campaign.cancel("c")
        yield* Effect.sleep("10500 millis")
        // By now, the service has handled the requests that were in flight when the process froze.
        const before = yield* accepted
        yield* thaw(child)
        expect(yield* accepted).toEqual(before)
        expect(yield* counts).toMatchObject({ pending: 0, attempting: 0, unknown: 0 })
      })
      yield* Effect.provide(test, Layer.merge(journalOf(place), overHttp))
    }).pipe(Effect.scoped),
  60_000
)
