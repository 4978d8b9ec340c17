/**
 * MCP over a pair of streams, such as stdin and stdout.
 */
import type { McpServerFactory } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import {
  pipeline,
  type Readable,
  Transform,
  type TransformCallback,
  type Writable
} from "node:stream"

export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
}

/** The longest line that is read, in bytes; far more than any message to this server needs. */
const maxLineBytes = 1024 * 1024

/** From how much output on that a client does not read, nothing more is read from it. */
const maxUnreadBytes = 1024 * 1024

/** How much is read in one turn of the event loop, in which few responses may be written. */
const maxTurnBytes = 16 * 1024

const newline = 0x0a

/**
 * What is read of a client's input, so that no client fills memory: lines that are too long are
 * dropped, and a client that does not read the output waits.
 */
class InputLimit extends Transform {
  readonly #output: Writable
  readonly #onDrop: (error: Error) => void
  #held: Array<Buffer> = []
  #heldBytes = 0
  #dropping = false
  #turnBytes = 0

  constructor(output: Writable, onDrop: (error: Error) => void) {
    super()
    this.#output = output
    this.#onDrop = onDrop
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#hold(chunk.subarray(start, end + 1))
      this.#release()
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    this.#turnBytes += chunk.length
    if (this.#turnBytes < maxTurnBytes && this.#output.writableLength === 0) {
      done()
      return
    }
    this.#turnBytes = 0
    // Responses to what came are written in this turn of the event loop, before more is read.
    setImmediate(() => {
      if (this.#output.writableLength > maxUnreadBytes) this.#output.once("drain", () => done())
      else done()
    })
  }

  #hold(part: Buffer): void {
    if (this.#dropping) return
    this.#heldBytes += part.length
    if (this.#heldBytes > maxLineBytes) {
      this.#dropping = true
      this.#held = []
      this.#onDrop(new Error(`Dropped a message of more than ${maxLineBytes} bytes`))
    } else if (part.length > 0) {
      this.#held.push(part)
    }
  }

  #release(): void {
    if (!this.#dropping) this.push(Buffer.concat(this.#held))
    this.#held = []
    this.#heldBytes = 0
    this.#dropping = false
  }
}

/** Tells when the connection is over, which `serveStdio` keeps to itself. */
class EndingTransport extends StdioServerTransport {
  readonly #onEnd: () => void

  constructor(input: Readable, output: Writable, onEnd: () => void) {
    super(input, output, { maxBufferSize: 2 * maxLineBytes })
    this.#onEnd = onEnd
  }

  override close(): Promise<void> {
    return super.close().finally(this.#onEnd)
  }
}

/**
 * Serves until the client closes `stdin`, or `stdout` breaks. Interrupting closes the connection.
 */
export const serve = (
  factory: McpServerFactory,
  { stdin, stdout }: Streams,
  onError: (error: Error) => void
): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const input = new InputLimit(stdout, onError)
          // Each response that waits for a client to read is one listener: no reason for a warning.
          stdout.setMaxListeners(0)
          // Ends the input also where stdin breaks, which ends the connection.
          pipeline(stdin, input, () => {})
          const transport = new EndingTransport(input, stdout, () =>
            Deferred.doneUnsafe(ended, Effect.void)
          )
          return serveStdio(factory, { transport, onerror: onError })
        }),
        (handle) =>
          Effect.promise(() => handle.close()).pipe(
            // An open stdin keeps the process alive.
            Effect.andThen(Effect.sync(() => stdin.destroy()))
          )
      )
      yield* Deferred.await(ended)
    })
  )
