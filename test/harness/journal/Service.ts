/** The service, on a sandbox in the process of the test, with the test's clock. */
import { MessagingTopup } from "@messaging-topup/core"
import { layerMemory } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const service = Layer.unwrap(
  Effect.map(Sandbox, ({ baseUrl, token }) => MessagingTopup.layer({ baseUrl, token }))
).pipe(Layer.provideMerge(Sandbox.layerInProcess()))

/** With a journal in memory. */
export const inMemory = Layer.merge(layerMemory, service)
