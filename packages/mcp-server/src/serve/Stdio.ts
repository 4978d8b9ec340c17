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

/** The maximum length of a line, in bytes. It is far more than any message to this server needs. */
const maxLineBytes = 1024 * 1024

/** While the client has left more output than this unread, in bytes, the server stops reading from it. */
const maxUnreadBytes = 1024 * 1024

/** How many bytes are read in one turn of the event loop, before responses get a chance to be written. */
const maxTurnBytes = 16 * 1024

const newline = 0x0a

/**
 * Limits the input of a client, so that no client can fill the memory. It drops lines that are too
 * long, and stops reading from a client that does not read its output.
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
    // Lets the responses be written before more is read.
    setImmediate(() => {
      if (this.#output.writableLength > maxUnreadBytes) this.#output.once("drain", () => done())
      else done()
    })
  }

  #hold(bytes: Buffer): void {
    if (this.#dropping) return
    this.#heldBytes += bytes.length
    if (this.#heldBytes > maxLineBytes) {
      this.#dropping = true
      this.#held = []
      this.#onDrop(new Error(`Dropped a message of more than ${maxLineBytes} bytes`))
    } else if (bytes.length > 0) {
      this.#held.push(bytes)
    }
  }

  #release(): void {
    if (!this.#dropping) this.push(Buffer.concat(this.#held))
    this.#held = []
    this.#heldBytes = 0
    this.#dropping = false
  }
}

/** Reports when the connection has ended, which `serveStdio` does not do. */
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
          // Each response that the client has not read yet is a listener, so many are not a leak.
          stdout.setMaxListeners(0)
          // Also ends the input, and so the connection, if stdin breaks.
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
