/**
 * What a person needs to recognise a recent send: the last digits of its recipient and the first
 * characters of its text.
 *
 * They are kept in memory only, for the deduplication window. The state and the log never have them.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { SendSmsRequest } from "@messaging-topup/core"

export interface Glimpse {
  readonly recipient_ends: string
  readonly text_begins: string
}

const digits = 3
const characters = 20

/** Callers without authentication are not told apart, so one would see the sends of another. */
const unnamed = "anonymous"

export const make = (window: Duration.Duration, isHidden: boolean) => {
  const windowMillis = Duration.toMillis(window)
  /** By the key of a send, oldest first. */
  const kept = new Map<string, { readonly glimpse: Glimpse; readonly until: number }>()

  const forgetOld = (now: number): void => {
    for (const [key, { until }] of kept) {
      if (until > now) return
      kept.delete(key)
    }
  }

  return {
    keep: (key: string, principal: string, { message, recipient }: SendSmsRequest) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        forgetOld(now)
        if (isHidden || principal === unnamed) return
        kept.delete(key)
        const glimpse = {
          recipient_ends: recipient.slice(-digits),
          text_begins: Array.from(message.slice(0, 2 * characters))
            .slice(0, characters)
            .join("")
        }
        kept.set(key, { glimpse, until: now + windowMillis })
      }),
    of: (key: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        forgetOld(now)
        return kept.get(key)?.glimpse
      })
  }
}
