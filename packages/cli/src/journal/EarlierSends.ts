/** Earlier sends that make rows a second SMS to somebody. */
import type { SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import { type OtherSend, SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import type { LookedRow } from "./KnownRows.ts"

export interface EarlierSend extends OtherSend {
  /** Whether it went to another spelling of the number, which may be somebody else's. */
  readonly isRespelled: boolean
}

/** A spreadsheet ends a line within a text with one character, and other programs with two. */
const withEachLineEnd = (request: SendSmsRequest): ReadonlyArray<SendSmsRequest> => {
  const { message } = request
  const others = ["\n", "\r\n"].map((end) => message.replaceAll(/\r\n?|\n/g, end))
  return Array.from(new Set([message, ...others]), (each) => ({ ...request, message: each }))
}

/**
 * Returns the earlier sends of rows, by the keys of these. The journal has digests of numbers and texts alone: a list that
 * had national numbers, or other line ends, is known by what they would have been.
 */
export const earlierSends = Effect.fnUntraced(function* (
  campaign: string,
  rows: ReadonlyArray<LookedRow>
) {
  const { campaigns, describe } = yield* SendJournal
  const same = yield* campaigns.repeated(
    campaign,
    rows.flatMap(({ request, send }) =>
      withEachLineEnd(request).map((each) => describe(send, each))
    )
  )
  const respelled = yield* campaigns.repeated(
    campaign,
    rows
      .filter(({ send }) => !same.has(send.key))
      .flatMap(({ request, send }) =>
        Phone.nationalSpellings(request.recipient).flatMap((recipient) =>
          withEachLineEnd({ ...request, recipient }).map((each) => describe(send, each))
        )
      )
  )
  const found = new Map<string, EarlierSend>()
  for (const [key, other] of respelled) found.set(key, { ...other, isRespelled: true })
  for (const [key, other] of same) found.set(key, { ...other, isRespelled: false })
  return found
})
