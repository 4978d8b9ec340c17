/** Passes on the lines of a stream that are UTF-8: otherwise, an SMS would go out with other letters. */
import { Buffer, isUtf8 } from "node:buffer"
import { Transform, type TransformCallback } from "node:stream"

const newline = 0x0a

/** What is longer ends the connection: nothing reads so much. */
const maxLength = 10 * 1024 * 1024

const linesOf = function* (block: Buffer) {
  for (let start = 0; start < block.length;) {
    const end = block.indexOf(newline, start) + 1
    yield block.subarray(start, end)
    start = end
  }
}

export class Utf8Lines extends Transform {
  readonly #refuse: (line: Buffer) => void
  /** The beginning of a line. */
  #begun: Array<Buffer> = []
  #length = 0

  constructor(refuse: (line: Buffer) => void) {
    super()
    this.#refuse = refuse
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const end = chunk.lastIndexOf(newline) + 1
    if (end > 0) this.#pass(Buffer.concat([...this.#taken(), chunk.subarray(0, end)]))
    this.#begun.push(chunk.subarray(end))
    this.#length += chunk.length - end
    done(this.#length > maxLength ? new Error("A line is too long") : null)
  }

  #taken(): ReadonlyArray<Buffer> {
    const begun = this.#begun
    this.#begun = []
    this.#length = 0
    return begun
  }

  #pass(block: Buffer): void {
    const lines = isUtf8(block) ? [block] : linesOf(block)
    for (const line of lines) {
      if (isUtf8(line)) this.push(line)
      else this.#refuse(line)
    }
  }
}
