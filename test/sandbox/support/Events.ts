/**
 * A reader of the event stream.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"

interface ReadEvent {
  readonly event: string
  readonly data: unknown
}

interface EventStream {
  /** The next event, without comments. */
  readonly next: Effect.Effect<ReadEvent>
  /** The next raw block, or `undefined` at the end. */
  readonly block: Effect.Effect<string | undefined>
  /** The number of bytes until the stream ends or fails. */
  readonly drain: Effect.Effect<number>
  readonly leave: Effect.Effect<void>
}

/** Returns when the stream is open, so that no later event is missed. */
export const readEvents = Effect.fnUntraced(function* () {
  const { baseUrl } = yield* Sandbox
  const leaving = new AbortController()
  const response = yield* Effect.promise(() =>
    fetch(`${baseUrl}/_sandbox/events`, { signal: leaving.signal })
  )
  const reader = response.body?.getReader()
  if (reader === undefined) return yield* Effect.die("no body")
  const decoder = new TextDecoder()
  let text = ""

  const block: EventStream["block"] = Effect.promise(async () => {
    while (!text.includes("\n\n")) {
      const { done, value } = await reader.read()
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
    const end = text.indexOf("\n\n")
    const first = text.slice(0, end)
    text = text.slice(end + 2)
    return first
  })

  const next: EventStream["next"] = Effect.flatMap(block, (read) => {
    if (read === undefined) return Effect.die("the stream ended")
    if (read.startsWith(":")) return next
    const match = /^event: (\w+)\ndata: ([^\n\r]*)$/.exec(read)
    return match?.[1] === undefined || match[2] === undefined
      ? Effect.die(`not an event: ${read}`)
      : Effect.succeed({ event: match[1], data: JSON.parse(match[2]) })
  })

  const stream: EventStream = {
    next,
    block,
    drain: Effect.promise(async () => {
      let bytes = 0
      for (;;) {
        const read = await reader.read().catch(() => undefined)
        if (read === undefined || read.done) return bytes
        bytes += read.value.length
      }
    }),
    leave: Effect.sync(() => leaving.abort())
  }
  return { response, stream }
})
