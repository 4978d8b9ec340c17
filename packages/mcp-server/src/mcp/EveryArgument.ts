/** A server of the SDK whose tools receive every argument, so that they can refuse the unknown ones. */
import { McpServer, type Transport } from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"

/** The SDK drops an argument of this name, and the tool would run without it. */
const dropped = "__proto__"

/** No tool has an argument of this name. */
const kept = "(__proto__)"

/** The SDK refuses null, with which some clients say that there are no arguments. */
const completed = (message: unknown): void => {
  const params = Predicate.hasProperty(message, "params") ? message.params : undefined
  if (!Predicate.hasProperty(params, "arguments")) return
  if (params.arguments === null) Reflect.set(params, "arguments", {})
  const args = params.arguments
  if (!Predicate.isObject(args) || !Object.hasOwn(args, dropped)) return
  Reflect.set(args, kept, Reflect.get(args, dropped))
}

export class EveryArgument extends McpServer {
  override connect(transport: Transport): Promise<void> {
    return super.connect(transport).then(() => {
      const { onmessage: receive } = transport
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
      transport.onmessage = (message, extra) => {
        completed(message)
        receive?.(message, extra)
      }
    })
  }
}
