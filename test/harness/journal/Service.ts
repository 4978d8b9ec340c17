/** The service, on a sandbox in the process of the test, with the test's clock. */
import { layerMemory } from "@messaging-topup/journal"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Layer from "effect/Layer"

export const service = Sandbox.layerClient()

/** With a journal in memory. */
export const inMemory = Layer.merge(layerMemory, service)
