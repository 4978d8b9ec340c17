/**
 * The readers of the event stream, and the events that wait for them.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type { SandboxEvent } from "./ControlApi.ts"

type Event = typeof SandboxEvent.Type

/**
 * Enough for the tabs and tests of a team. More means that a program opens readers and never closes
 * them.
 */
const maxReaders = 64

/** Proxies close a connection without data after about a minute. */
const heartbeat = Duration.seconds(15)

export interface EventReaders {
  /** Calls `event` only if there is a reader. */
  readonly publish: (event: () => Event) => void
  /** Returns the stream of a new reader, or `undefined` if there are too many. */
  readonly read: () => ReadableStream<Uint8Array> | undefined
}

const encoder = new TextEncoder()

// JSON text has no line breaks, so the data is always one line.
const encode = ({ data, event }: Event): Uint8Array =>
  encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const comment = encoder.encode(": the sandbox runs\n\n")

export const make = Effect.gen(function* () {
  const readers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const reader of readers) reader.close()
    })
  )
  const run = yield* FiberSet.makeRuntime()

  const eventReaders: EventReaders = {
    publish: (event) => {
      if (readers.size === 0) return
      const bytes = encode(event())
      for (const reader of readers) reader.enqueue(bytes)
    },
    read: () => {
      if (readers.size >= maxReaders) return undefined
      let leave: (() => void) | undefined
      return new ReadableStream<Uint8Array>({
        start: (reader) => {
          readers.add(reader)
          const beat = Effect.sync(() => reader.enqueue(comment)).pipe(
            Effect.andThen(Effect.sleep(heartbeat)),
            Effect.forever,
            run
          )
          leave = () => {
            readers.delete(reader)
            beat.interruptUnsafe()
          }
        },
        cancel: () => leave?.()
      })
    }
  }
  return eventReaders
})
