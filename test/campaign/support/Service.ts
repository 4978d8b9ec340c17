/**
 * The service on a sandbox in the process of the test.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { layerMemory } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { service } from "../../journal/support/Service.ts"

/** With a journal in memory, and the test's clock. */
export const inMemory = Layer.merge(layerMemory, service)

/** Over a real socket, with real time. */
export const overHttp = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provide(NodeTransport.layer), Layer.provideMerge(Sandbox.layer()))
