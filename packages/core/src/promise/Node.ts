/**
 * The five operations as promises, on Node and Deno: undici, with connections of its own.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { compileSchemas } from "../internal/CompiledSchemas.ts"
import * as UndiciDispatcher from "../internal/UndiciDispatcher.ts"
import { refusal } from "../internal/UndiciPlatform.ts"
import * as UndiciWire from "../internal/UndiciWire.ts"
import { type Connections, createClientOn } from "./Client.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export type * from "./Types.ts"
export { isMessagingTopupError, isSendSmsRejection } from "./Client.ts"

const open = (): Connections => {
  if (refusal !== undefined) throw refusal
  compileSchemas()
  const settings = Result.getOrThrow(UndiciDispatcher.check({}))
  const dispatcher = UndiciDispatcher.make(settings)
  return {
    wire: UndiciWire.make(dispatcher, UndiciDispatcher.headers()),
    close: dispatcher.close
  }
}

/**
 * A client with connections of its own, at most 100. Close it when it is no longer needed. Throws
 * `ConfigurationError` for an option that is missing, unsafe or unknown.
 *
 * @since 0.1.0
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(open, options)
