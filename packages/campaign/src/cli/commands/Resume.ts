/**
 * `resume`: sends the remaining rows, or puts them into the queue.
 */
import * as Effect from "effect/Effect"
import * as Queue from "../Queue.ts"
import { sendCampaign } from "../SendCampaign.ts"
import { type SendFlags, withServices } from "../Services.ts"

export interface ResumeInput extends SendFlags {
  readonly campaign: string
  readonly queue: boolean
}

export const resume = Effect.fnUntraced(function* (input: ResumeInput) {
  const queue = yield* Queue.urlOf(input)
  return yield* withServices(
    { ...input, mustExist: true },
    Effect.fnUntraced(function* (prepared) {
      if (queue !== undefined) return yield* Queue.enqueue(prepared.id, queue)
      return yield* sendCampaign({ ...prepared, invalid: 0 })
    })
  )
})
