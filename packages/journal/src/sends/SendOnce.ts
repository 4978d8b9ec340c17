/** `sendOnce`: one send for each key. */
import { endOfSend, MessagingTopup, MayStart, type SendSmsRequest } from "@messaging-topup/core"
import { attemptMillis } from "@messaging-topup/core/internal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import type { CampaignSends } from "./Campaigns.ts"
import type { Database } from "../database/Database.ts"
import { KeyConflict, OutcomeUnknown, SendClosed } from "../model/Errors.ts"
import type { Claim, KeyedSend, SendEnding, SendKey, SentOnce, Standing } from "../model/Send.ts"
import { endingOf } from "./SendEnding.ts"
import { type Names, wrongSend } from "../model/Names.ts"
import { beginClaim, type Rule, standingOf } from "../Rule.ts"

/** How a key that cannot be claimed ends the call; undefined if it can be, or may be soon. */
const endOf = ({
  isChanged,
  send,
  state
}: Standing): Effect.Effect<SentOnce, KeyConflict | OutcomeUnknown | SendClosed> | undefined => {
  if (isChanged && state !== "rejected") return Effect.fail(new KeyConflict({}))
  switch (state) {
    case "sent":
      return Effect.succeed({ messages: send?.messages ?? [], isEarlier: true })
    case "unknown":
      return Effect.fail(new OutcomeUnknown({ since: send?.claimedAt ?? 0 }))
    case "closed":
      return Effect.fail(new SendClosed({}))
    case "free":
    case "in-flight":
    case "rejected":
      return undefined
  }
}

/** Makes `sendOnce` on a database. */
export const makeSendOnce = (
  { read }: Database,
  rule: Rule,
  { describe, identify }: Names,
  begin: CampaignSends["begin"],
  settle: (claim: Claim, ending: SendEnding) => Effect.Effect<unknown>
) => {
  /** Claims and sends. Undefined: another call was faster, or this process was frozen in between. */
  const tryToSend = Effect.fnUntraced(function* (
    known: KeyedSend,
    campaign: { readonly campaign?: string },
    attempt: number,
    request: SendSmsRequest
  ) {
    const service = yield* MessagingTopup
    const mayStartOutside = yield* MayStart
    const token = randomUUID()
    const since = yield* Clock.currentTimeMillis
    const mayStart = yield* beginClaim
    let isLate = false
    const onStart = () => {
      isLate = !mayStart()
      return !isLate && mayStartOutside()
    }
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const claimed = yield* rule.write({
          ...campaign,
          token,
          timeoutMillis: attemptMillis(service),
          settle: [],
          claim: [{ ...describe(known, request), attempt }]
        })
        if (claimed.size === 0) return undefined
        const sending = endOfSend(service.sendSms(request), restore)
        const end = yield* Effect.provideService(sending, MayStart, onStart)
        const ending = endingOf(end)
        yield* settle({ key: known.key, attempt, token }, ending)
        if (ending.outcome === "sent") return { messages: ending.messages, isEarlier: false }
        if (isLate) return undefined
        return yield* Exit.isFailure(end.exit)
          ? Effect.failCause(end.exit.cause)
          : // A service of the program, not of core, can return what is no response.
            Effect.fail(new OutcomeUnknown({ since }))
      })
    )
  })

  return Effect.fn("sendOnce")(function* (key: SendKey, request: SendSmsRequest) {
    const wrong = wrongSend("sendOnce", key, request)
    if (wrong !== undefined) return yield* Effect.fail(wrong)
    const campaign = typeof key === "string" ? {} : { campaign: key.campaign }
    const known = identify(key, request)
    const look = Effect.map(rule.attempts(read, [known.key]), (attempts) =>
      standingOf(attempts, known.request)
    )
    // After a send that did not go out the key is free, and a waiting caller claims it.
    while (true) {
      // Asked each time, because a campaign that was pruned meanwhile refuses every claim.
      if (typeof key !== "string") yield* begin(key.campaign)
      const standing = yield* Effect.repeat(look, {
        while: ({ state }) => state === "in-flight",
        schedule: Schedule.spaced("100 millis")
      })
      const end = endOf(standing)
      if (end !== undefined) return yield* end
      const sent = yield* tryToSend(known, campaign, standing.attempt, request)
      if (sent !== undefined) return sent
    }
  })
}
