/**
 * Removes the access token from the responses of the service, in case they repeat it.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { mapTexts } from "./send/Text.ts"

/** Wraps the service: replaces the token in every text of every response. */
export const of = (
  service: MessagingTopup["Service"],
  token: Redacted.Redacted
): MessagingTopup["Service"] => {
  const redacted = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.map(call, (response) =>
      mapTexts(response, (text) => text.replaceAll(Redacted.value(token), "<redacted>"))
    )
  return MessagingTopup.of({
    sendSms: (request) => redacted(service.sendSms(request)),
    getSmsStatus: (messageId) => redacted(service.getSmsStatus(messageId)),
    getAirtimeStatus: (reference) => redacted(service.getAirtimeStatus(reference)),
    getDataBundleStatus: (reference) => redacted(service.getDataBundleStatus(reference)),
    listDataBundles: (options) => redacted(service.listDataBundles(options))
  })
}
