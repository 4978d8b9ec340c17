/**
 * All guards of sends, on the state that the settings name.
 */
import { type JournalLocation, open } from "@messaging-topup/journal/open"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Confirmation } from "./send/Confirmation.ts"
import type { InFlight } from "./send/InFlight.ts"
import type { RulesOf } from "./send/Rules.ts"
import { SendBatches } from "./send/SendBatches.ts"
import { SendGuard } from "./send/SendGuard.ts"
import { SendMemory } from "./send/SendMemory.ts"
import type * as GuardSettings from "./settings/GuardSettings.ts"
import { placeOf } from "./settings/StateSettings.ts"

interface GuardOptions extends Omit<
  Effect.Success<ReturnType<typeof GuardSettings.read>>,
  "rules" | "scopes"
> {
  readonly rulesOf: RulesOf
  readonly state: JournalLocation
  /** The address of the service. The same SMS to another service is another send. */
  readonly service: string
  /** Longer than a request can take. An outcome that is recorded even later still counts. */
  readonly staleAfter: Duration.Duration
}

/** A send counts for a limit for at most a day, and holds back the same SMS for as long as the options say. */
const longest = ({ duplicateWindow, unknownHold }: GuardOptions) =>
  [duplicateWindow, unknownHold].reduce(Duration.max, Duration.days(1))

export const layer = (
  options: GuardOptions
): Layer.Layer<SendBatches | SendGuard | SendMemory, never, InFlight> =>
  SendBatches.layer(options).pipe(
    Layer.provideMerge(SendGuard.layer(options)),
    Layer.provide(Confirmation.layer(options)),
    Layer.provideMerge(
      SendMemory.layer({
        ...options,
        journal: open(options.state),
        place: placeOf(options.state),
        // Nobody can prune a state in memory.
        ...(options.state._tag === "Memory" ? { forgetAfter: longest(options) } : {})
      })
    )
  )
