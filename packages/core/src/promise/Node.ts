/**
 * The five operations as promises, on Node and Deno: undici, with its own connections.
 *
 * @since 0.1.0
 */
// oxlint-disable-next-line import/no-unassigned-import -- it must run before undici
import "./NodeVersion.ts"
import * as Result from "effect/Result"
import * as undici from "undici"
import { compileSchemas } from "../call/CompiledSchemas.ts"
import * as UndiciDispatcher from "../transport/UndiciDispatcher.ts"
import { platformError } from "../transport/UndiciPlatform.ts"
import * as UndiciWire from "../transport/UndiciWire.ts"
import { type Connections, createClientOn } from "./Client.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export type * from "./Types.ts"
export { isMessagingTopupError, isSendSmsRejection } from "./Client.ts"

const open = (): Connections => {
  if (platformError !== undefined) throw platformError
  compileSchemas()
  const settings = Result.getOrThrow(UndiciDispatcher.check({}))
  const dispatcher = UndiciDispatcher.open(undici, settings)
  return {
    wire: UndiciWire.make(UndiciDispatcher.given(dispatcher), UndiciDispatcher.headers()),
    close: () => dispatcher.destroy()
  }
}

/**
 * Creates a client with its own connections, at most 100. Close it when you no longer need it.
 *
 * Throws `ConfigurationError` for an option that is missing, unsafe or unknown, on Bun and on Node
 * older than 22.19.
 *
 * @since 0.1.0
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(open, options)
