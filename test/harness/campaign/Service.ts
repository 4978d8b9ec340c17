/**
 * The service on a sandbox in the process of the test.
 */
import { layerMemory } from "@messaging-topup/journal"
import * as Layer from "effect/Layer"
import { service } from "../journal/Service.ts"

/** With a journal in memory, and the test's clock. */
export const inMemory = Layer.merge(layerMemory, service)
