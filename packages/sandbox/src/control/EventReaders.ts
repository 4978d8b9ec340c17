/**
 * The readers of the event stream, and the events that wait for them.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SandboxEvent } from "./ControlApi.ts"

type Event = typeof SandboxEvent.Type

/**
 * Enough for the tabs and tests of a team. More means that a program opens readers and never closes
 * them.
 */
const maxReaders = 64

/** The maximum that waits for one reader. A reader with more is disconnected. */
const maxWaitingBytes = 2 * 1024 * 1024

/** Proxies close a connection without data after about a minute. */
const heartbeat = Duration.seconds(15)

export interface EventReaders {
  /** Calls `event` only if there is a reader. */
  readonly publish: (event: () => Event) => void
  /**
   * Returns the stream of a new reader, or `undefined` if there are too many. `onDrop` is called
   * when the reader is too slow. Its stream has failed then.
   */
  readonly read: (onDrop: () => void) => ReadableStream<Uint8Array> | undefined
}

interface Reader {
  readonly write: (bytes: Uint8Array) => void
  readonly close: () => void
}

const nothing = () => {}

const encoder = new TextEncoder()

// JSON text has no line breaks, so the data is always one line.
const encode = ({ data, event }: Event): Uint8Array =>
  encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const comment = encoder.encode(": the sandbox runs\n\n")

export const make = Effect.gen(function* () {
  const context = yield* Effect.context()
  const readers = yield* Effect.acquireRelease(
    Effect.sync(() => new Set<Reader>()),
    (open) =>
      Effect.sync(() => {
        for (const reader of open) reader.close()
      })
  )

  const eventReaders: EventReaders = {
    publish: (event) => {
      if (readers.size === 0) return
      const bytes = encode(event())
      for (const reader of readers) reader.write(bytes)
    },
    read: (onDrop) => {
      if (readers.size >= maxReaders) return undefined
      let leave = nothing
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            const reader = {
              write: (bytes: Uint8Array) => {
                // A single event may be larger than the maximum, so only what already waits is
                // checked.
                if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(bytes)
                leave()
                controller.error(new Error("The reader of the events is too slow"))
                onDrop()
              },
              close: () => {
                leave()
                controller.close()
              }
            }
            const beat = Effect.sync(() => reader.write(comment)).pipe(
              Effect.andThen(Effect.sleep(heartbeat)),
              Effect.forever
            )
            readers.add(reader)
            const fiber = Effect.runForkWith(context)(beat)
            leave = () => {
              readers.delete(reader)
              fiber.interruptUnsafe()
            }
          },
          cancel: () => leave()
        },
        new ByteLengthQueuingStrategy({ highWaterMark: maxWaitingBytes })
      )
    }
  }
  return eventReaders
})
