/**
 * `resume`: sends what is left, or hands it to workers.
 */
import * as Effect from "effect/Effect"
import * as Queue from "../Queue.ts"
import * as Sending from "../Sending.ts"
import { type SendFlags, withServices } from "../Services.ts"

export interface ResumeInput extends SendFlags {
  readonly campaign: string
  readonly queue: boolean
}

export const resume = Effect.fnUntraced(function* (input: ResumeInput) {
  const queue = yield* Queue.wanted(input)
  return yield* withServices(
    { ...input, mustExist: true },
    Effect.fnUntraced(function* ({ id, options, resumeLine }) {
      if (queue !== undefined) return yield* Queue.handOver(id, queue)
      return yield* Sending.send({ campaign: id, options, invalid: 0, resumeLine })
    })
  )
})
