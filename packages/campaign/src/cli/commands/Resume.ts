/**
 * `resume`: sends the remaining rows, or puts them into the queue.
 */
import type { Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import type * as Flags from "../Flags.ts"
import * as Queue from "../Queue.ts"
import { sendCampaign } from "../SendCampaign.ts"
import { type SendFlags, withServices } from "../Services.ts"

export const resume = Effect.fnUntraced(function* (
  input: SendFlags & Values<typeof Flags.campaign & typeof Flags.queue>
) {
  const queue = yield* Queue.urlOf(input)
  return yield* withServices(
    { ...input, mustExist: true },
    Effect.fnUntraced(function* (prepared) {
      if (queue !== undefined) return yield* Queue.enqueue(prepared.id, queue)
      return yield* sendCampaign({ ...prepared, invalid: 0 })
    })
  )
})
