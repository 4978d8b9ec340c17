/**
 * Drops lines that are too long, so that one of them neither ends the connection nor fills memory.
 */
import { Transform, type TransformCallback } from "node:stream"

const newline = 0x0a

export class LineLimit extends Transform {
  /** Far more than any message to this server needs. */
  static readonly bytes = 1024 * 1024

  readonly #onDrop: (error: Error) => void
  #held: Array<Buffer> = []
  #heldBytes = 0
  #dropping = false

  constructor(onDrop: (error: Error) => void) {
    super()
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
    done()
  }

  #hold(part: Buffer): void {
    if (this.#dropping) return
    this.#heldBytes += part.length
    if (this.#heldBytes > LineLimit.bytes) {
      this.#dropping = true
      this.#held = []
      this.#onDrop(new Error(`Dropped a message of more than ${LineLimit.bytes} bytes`))
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
