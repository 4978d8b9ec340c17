/**
 * Who reads the event stream, and what waits for them.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SandboxEvent } from "./SandboxEvent.ts"

/** Enough for the tabs and tests of a team; beyond it, somebody opens readers and forgets them. */
const maxReaders = 64

/** What may wait for one reader. It is dropped when more would. */
const maxWaitingBytes = 2 * 1024 * 1024

/** Proxies close a connection that is silent for a minute. */
const heartbeat = Duration.seconds(15)

export interface EventReaders {
  /** Makes the event only if somebody reads. */
  readonly publish: (event: () => SandboxEvent) => void
  /**
   * The stream of one more reader; `undefined` where there are too many. `onDrop` is called where it
   * is too slow: its stream has broken then.
   */
  readonly read: (onDrop: () => void) => ReadableStream<Uint8Array> | undefined
}

interface Reader {
  readonly write: (bytes: Uint8Array) => void
  readonly close: () => void
}

const nothing = () => {}

const encoder = new TextEncoder()

// JSON has no line break of its own: one line of data is all of it.
const encode = ({ data, event }: SandboxEvent): Uint8Array =>
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
                // One event may be larger than all that may wait.
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
