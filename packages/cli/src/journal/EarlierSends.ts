/** Earlier sends that make rows a second SMS to somebody. */
import { Phone } from "@messaging-topup/core/internal"
import { type OtherSend, SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import type { LookedRow } from "./KnownRows.ts"

export interface EarlierSend extends OtherSend {
  /** Whether it went to another spelling of the number, which may be somebody else's. */
  readonly isRespelled: boolean
}

/**
 * Returns the earlier sends of rows, by the keys of these. The journal has digests of numbers alone: a list that had
 * national numbers is known by what they would have been.
 */
export const earlierSends = Effect.fnUntraced(function* (
  campaign: string,
  rows: ReadonlyArray<LookedRow>
) {
  const { campaigns, describe } = yield* SendJournal
  const same = yield* campaigns.repeated(
    campaign,
    rows.map(({ request, send }) => describe(send, request))
  )
  const respelled = yield* campaigns.repeated(
    campaign,
    rows
      .filter(({ send }) => !same.has(send.key))
      .flatMap(({ request, send }) =>
        Phone.nationalSpellings(request.recipient).map((recipient) =>
          describe(send, { ...request, recipient })
        )
      )
  )
  const found = new Map<string, EarlierSend>()
  for (const [key, other] of respelled) found.set(key, { ...other, isRespelled: true })
  for (const [key, other] of same) found.set(key, { ...other, isRespelled: false })
  return found
})
