/**
 * Messages as lines of a pair of streams, such as stdin and stdout.
 *
 * The SDK's own transport drops a line that is no message without a response, so that its sender waits
 * for one. It also reads without limits.
 */
import {
  deserializeMessage,
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  serializeMessage,
  type Transport
} from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import type { Readable, Writable } from "node:stream"

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

interface Problem {
  readonly code: number
  readonly message: string
  /** The id of the message, if it can be read. */
  readonly id: string | number | null
}

/** A line that is no message. Its text is left out: it could contain anything. */
export class MalformedLine extends Error {
  override readonly name = "MalformedLine"
  /** Lines are counted from 1. */
  readonly line: number

  constructor(line: number, problem: string) {
    super(problem)
    this.line = line
  }
}

const tooLong: Problem = {
  id: null,
  code: INVALID_REQUEST,
  message: `Invalid request: a message has at most ${maxLineBytes} bytes`
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Returns what is wrong with a line that is no message, or nothing if it must not get a response. */
const problemOf = (line: string): Problem | undefined => {
  const value = parsed(line)
  if (value === undefined) {
    return { id: null, code: PARSE_ERROR, message: "Parse error: the line is not valid JSON" }
  }
  if (Array.isArray(value)) {
    return {
      id: null,
      code: INVALID_REQUEST,
      message: "Invalid request: batches are not supported, send each message on a line of its own"
    }
  }
  const fields = Predicate.isObject(value) ? value : {}
  // A response to a response could go back and forth forever.
  if ("result" in fields || "error" in fields) return undefined
  const id = "id" in fields ? fields["id"] : null
  return {
    id: typeof id === "string" || typeof id === "number" ? id : null,
    code: INVALID_REQUEST,
    message: "Invalid request: the line is not a JSON-RPC 2.0 message"
  }
}

interface Observer {
  readonly onMessage: (message: JSONRPCMessage) => void
  readonly onEnd: () => void
}

export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #observer: Observer
  readonly #stdin: Readable
  readonly #stdout: Writable
  #held: Array<Buffer> = []
  #heldBytes = 0
  #isDropping = false
  #turnBytes = 0
  #isClosed = false
  #endedLines = 0

  constructor({ stdin, stdout }: Streams, observer: Observer) {
    this.#observer = observer
    this.#stdin = stdin
    this.#stdout = stdout
  }

  readonly #end = (): void => {
    void this.close()
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error)
    this.#end()
  }

  readonly #resume = (): void => {
    if (!this.#isClosed) this.#stdin.resume()
  }

  start(): Promise<void> {
    this.#stdin.on("data", this.#read)
    this.#stdin.once("end", this.#end)
    this.#stdin.once("close", this.#end)
    this.#stdin.once("error", this.#fail)
    this.#stdout.once("error", this.#fail)
    if (this.#stdin.readableEnded || this.#stdin.destroyed) setImmediate(this.#end)
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(serializeMessage(message))
  }

  /** It may be called by the streams and by the SDK. */
  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    this.#stdin.off("data", this.#read)
    // A stream that breaks later must not end the process.
    this.#stdin.on("error", () => {})
    this.#stdout.on("error", () => {})
    this.#stdin.pause()
    this.onclose?.()
    this.#observer.onEnd()
    return Promise.resolve()
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stdout.write(line, (error) => {
        if (error === null || error === undefined) resolve()
        else reject(error)
      })
    })
  }

  readonly #read = (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#hold(chunk.subarray(start, end))
      this.#release()
      start = end + 1
    }
    this.#hold(chunk.subarray(start))
    this.#turnBytes += chunk.length
    if (this.#turnBytes < maxTurnBytes && this.#stdout.writableLength === 0) return
    this.#turnBytes = 0
    this.#stdin.pause()
    // Lets the responses be written before more is read.
    setImmediate(() => {
      if (this.#stdout.writableLength > maxUnreadBytes) this.#stdout.once("drain", this.#resume)
      else this.#resume()
    })
  }

  #hold(bytes: Buffer): void {
    if (this.#isDropping) return
    this.#heldBytes += bytes.length
    if (this.#heldBytes < maxLineBytes) {
      if (bytes.length > 0) this.#held.push(bytes)
      return
    }
    this.#isDropping = true
    this.#held = []
    this.#refuse(tooLong, this.#endedLines + 1)
  }

  #release(): void {
    const [first, ...more] = this.#held
    const bytes = first === undefined || more.length > 0 ? Buffer.concat(this.#held) : first
    const line = bytes.toString("utf8").trim()
    this.#held = []
    this.#heldBytes = 0
    const isDropped = this.#isDropping
    this.#isDropping = false
    this.#endedLines += 1
    if (isDropped || line === "") return
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch {
      const problem = problemOf(line)
      if (problem !== undefined) this.#refuse(problem, this.#endedLines)
      return
    }
    this.#observer.onMessage(message)
    this.onmessage?.(message)
  }

  #refuse({ id, ...error }: Problem, line: number): void {
    this.onerror?.(new MalformedLine(line, error.message))
    this.#write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`).catch(this.#fail)
  }
}
