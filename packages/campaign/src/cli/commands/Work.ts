/**
 * `work`: takes slices from the queue and sends them, until it is stopped.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerWorkers } from "../../sending/Workers.ts"
import { Invocation } from "../Invocation.ts"
import { isTerminal, note, report } from "../Output.ts"
import * as Progress from "../Progress.ts"
import * as Queue from "../Queue.ts"
import { jsonOf, stopText } from "../SendCampaign.ts"
import { type SendFlags, withServices } from "../Services.ts"

export const work = Effect.fnUntraced(function* (input: Omit<SendFlags, "sandbox">) {
  const queue = yield* Queue.requireUrl(input.journal, "work")
  const wanted = { ...input, sandbox: false, campaign: "", mustExist: false }
  return yield* withServices(wanted, ({ options, zone }) =>
    Effect.gen(function* () {
      const progress = yield* Progress.make(undefined, zone)
      const invocation = yield* Invocation
      const isForPerson = yield* isTerminal
      yield* report({ event: "Working" })
      yield* note("Waiting for slices. Stop with Ctrl-C: the requests in flight end first")
      const workers = layerWorkers({
        ...options,
        onEvent: (event, campaign) =>
          Effect.gen(function* () {
            yield* progress.update(event)
            if (!isForPerson) yield* report({ ...jsonOf(event), campaign })
            if (event._tag === "Stopped") {
              yield* note(`Campaign ${JSON.stringify(campaign)}. ${stopText(event)}`)
            }
          }).pipe(Effect.provideService(Invocation, invocation))
      })
      return yield* Layer.launch(Layer.provide(workers, Queue.layer(queue)))
    }).pipe(Effect.scoped)
  )
})
