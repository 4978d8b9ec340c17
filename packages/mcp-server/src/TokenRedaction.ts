/**
 * Keeps the access token out of the responses of the service, in case they repeat it.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"

type Texts<K extends string> = Readonly<Record.ReadonlyRecord<K, string>>

/** The same service, with the token replaced in every text of every response. */
export const of = (
  service: MessagingTopup["Service"],
  token: Redacted.Redacted
): MessagingTopup["Service"] => {
  const text = (value: string): string => value.replaceAll(Redacted.value(token), "<redacted>")
  const record = <K extends string>(values: Texts<K>): Texts<K> => Record.map(values, text)
  const envelope = <
    K extends string,
    A extends { readonly message: string; readonly data: ReadonlyArray<Texts<K>> }
  >(
    response: A
  ) => ({ ...response, message: text(response.message), data: response.data.map(record) })
  return MessagingTopup.of({
    sendSms: (request) => Effect.map(service.sendSms(request), envelope),
    getSmsStatus: (messageId) => Effect.map(service.getSmsStatus(messageId), envelope),
    getAirtimeStatus: (reference) => Effect.map(service.getAirtimeStatus(reference), envelope),
    getDataBundleStatus: (reference) => Effect.map(service.getDataBundleStatus(reference), record),
    listDataBundles: (options) =>
      Effect.map(service.listDataBundles(options), ({ category }) => ({
        category: category.map(record)
      }))
  })
}
