/**
 * A journal in memory, and the service on a sandbox in the process of the test, with the test's clock.
 */
import { layerMemory } from "@messaging-topup/journal"
import * as Layer from "effect/Layer"
import { service } from "../../journal/support/Service.ts"

export const inMemory = Layer.merge(layerMemory, service)
