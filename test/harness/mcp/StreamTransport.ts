/**
 * A client transport on the stdin and stdout of a server.
 */
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport
} from "@modelcontextprotocol/client"
import type { RunningServer } from "./Server.ts"

export class StreamTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** The revision that client and server agreed on. */
  protocolVersion: string | undefined
  readonly #server: RunningServer
  readonly #buffer = new ReadBuffer()

  constructor(server: RunningServer) {
    this.#server = server
  }

  start(): Promise<void> {
    const { ended, stdout } = this.#server
    stdout.on("data", (text: string) => {
      this.#buffer.append(Buffer.from(text))
      for (let next = this.#buffer.readMessage(); next !== null;) {
        this.onmessage?.(next)
        next = this.#buffer.readMessage()
      }
    })
    void ended.then(() => this.onclose?.())
    return Promise.resolve()
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#server.stdin.write(serializeMessage(message))
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#server.stdin.end()
    return Promise.resolve()
  }
}
