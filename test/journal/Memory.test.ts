import { describe, it } from "@effect/vitest"
import { layerMemory } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { behaviours } from "./Behaviours.ts"
import { service } from "./support/Service.ts"

describe("a journal in memory", () => {
  it.effect.each(behaviours)("%s", ([, behaviour]) =>
    Effect.provide(behaviour, Layer.merge(layerMemory, service))
  )
})
