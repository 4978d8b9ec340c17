/** `sendOnce`: one send for each key. */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { CampaignSends } from "./Campaigns.ts"
import { untilShutdown } from "./Shutdown.ts"
import { type JournalError, KeyConflict, OutcomeUnknown, SendClosed } from "../model/Errors.ts"
import type { SendKey, SentOnce, Standing } from "../model/Send.ts"
import {
  type InBackground,
  newClaim,
  orEnd,
  perform,
  requireNewest,
  type Settle
} from "./OneSend.ts"
import type { NamedSend } from "../model/JournalName.ts"
import { type GivenSend, type Names, plainKeyOf, readSend } from "../model/Names.ts"
import type { Rule } from "../Rule.ts"

/** How a key that cannot be claimed ends the call; undefined if it can be, or may be soon. */
const endOf = (
  standing: Standing | undefined,
  named: Omit<NamedSend, "id">
): Effect.Effect<SentOnce, KeyConflict | OutcomeUnknown | SendClosed> | undefined => {
  if (standing === undefined) return undefined
  const { changed, isOther, send, state } = standing
  if (changed !== undefined) return Effect.fail(new KeyConflict({ state: changed }))
  switch (state) {
    case "sent":
      return Effect.succeed({ messages: send?.messages ?? [], isEarlier: true })
    case "unknown":
      return Effect.fail(
        new OutcomeUnknown({
          ...named,
          id: send?.id ?? 0,
          since: send?.claimedAt ?? 0,
          ...(isOther ? { isOther } : {})
        })
      )
    case "closed":
      return Effect.fail(new SendClosed({ ...named, id: send?.id ?? 0 }))
    case "free":
    case "in-flight":
    case "rejected":
      return undefined
  }
}

/** Makes `sendOnce` on a database. */
export const makeSendOnce = (
  rule: Rule,
  { describe, identify }: Names,
  journal: string,
  begin: CampaignSends["begin"],
  settle: Settle,
  inBackground: InBackground
) => {
  // Without a span: the error of its end would name the key and the place of the journal there.
  const sendOnce = Effect.fnUntraced(function* ({ key, request }: GivenSend) {
    const campaign = typeof key === "string" ? undefined : key.campaign
    const keyed = identify(key, request)
    const named = { journal, ...plainKeyOf(keyed.key) }
    const look = Effect.map(rule.look([keyed]), ([standing]) => standing)
    // Asked before each claim, because a campaign that was pruned meanwhile refuses all.
    const begun = campaign === undefined ? Effect.void : Effect.asVoid(begin(campaign))
    const waitFor = Effect.andThen(
      begun,
      Effect.repeat(look, {
        while: (found) => found?.state === "in-flight",
        schedule: Schedule.spaced("100 millis")
      })
    )
    /**
     * Every claim is settled. If the call is interrupted before the journal has answered, its request never starts, and the
     * key becomes free again once the journal has; a request that has started ends. Undefined: another call was faster.
     */
    const send = (attempt: number) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const { mayStart, options } = yield* restore(newClaim(rule))
          const claim = [{ ...describe(keyed, request), attempt, mayRepeat: true }]
          const claimOf = (id: number) => ({ id, key: keyed.key, attempt, ticket: options.ticket })
          const claiming = yield* inBackground(
            Effect.map(rule.write({ ...options, campaign, settle: [], claim }), ({ claimed }) =>
              claimed.get(keyed.key)
            )
          )
          const giveBack = Effect.flatMap(Fiber.await(claiming), (exit) =>
            Exit.isSuccess(exit) && exit.value !== undefined
              ? settle(claimOf(exit.value), { state: "nothing" })
              : Effect.void
          )
          const id = yield* restore(Fiber.join(claiming)).pipe(
            Effect.onInterrupt(() => inBackground(giveBack))
          )
          if (id === undefined) return undefined
          yield* requireNewest(rule, settle, claimOf(id))
          return yield* orEnd(
            Effect.tap(perform(request, mayStart, Effect.interruptible), ({ stored }) =>
              settle(claimOf(id), stored)
            ),
            restore
          )
        })
      )
    /**
     * A journal that takes no claim can perhaps be read. Whatever is found, nothing is sent. What went to another address is
     * no earlier send.
     */
    const earlierOr = Effect.fnUntraced(function* (failure: JournalError) {
      const isOther = failure._tag === "JournalUnavailable" && failure.problem === "other-address"
      if (isOther) return yield* Effect.fail(failure)
      const found = yield* untilShutdown(Effect.option(Effect.timeout(look, "2 seconds")))
      const earlier = endOf(Option.getOrUndefined(found), named)
      if (earlier !== undefined) return yield* earlier
      return yield* Effect.fail(failure)
    })
    yield* untilShutdown(begun)
    // The first attempt of a key is refused if there is any: only then it is looked up how the key stands.
    let attempt = 0
    while (true) {
      const tried = yield* Effect.result(send(attempt))
      if (Result.isFailure(tried)) return yield* earlierOr(tried.failure)
      const sent = tried.success
      if (sent !== undefined && !sent.isLate) {
        const { end, stored } = sent
        if (stored.state === "sent") return { messages: stored.messages, isEarlier: false }
        if (Exit.isFailure(end.exit)) return yield* Effect.failCause(end.exit.cause)
      }
      // Another call was faster, this process was frozen in between, or a service of the program returned no response.
      const standing = yield* untilShutdown(waitFor)
      const earlier = endOf(standing, named)
      if (earlier !== undefined) return yield* earlier
      attempt = standing?.attempt ?? 0
    }
  })
  return (key: SendKey, request: SendSmsRequest) =>
    Effect.flatMap(Effect.fromResult(readSend("sendOnce", key, request)), sendOnce)
}
