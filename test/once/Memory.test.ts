import { describe, it } from "@effect/vitest"
import { layerMemory } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { conformanceTests } from "../harness/journal/Conformance.ts"
import { service } from "../harness/journal/Service.ts"
import { testTime } from "../harness/journal/Time.ts"

describe("a journal in memory", () => {
  it.effect.each(conformanceTests)("%s", ([, test]) =>
    Effect.provide(test, Layer.mergeAll(layerMemory, service, testTime))
  )
})
