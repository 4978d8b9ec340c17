/** The calls of a program: it previews, sends, follows, reads purchases, lists bundles, and meets three failures. */
import { MessagingTopup, sendOutcome, SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { bad, good, heading, line, table, warn } from "./terminal.ts"

const request = {
  recipient: "+15550100123",
  message: "Your code is 4711. Do not share it.",
  sender_id: "ACME"
}

/** The service does not document final statuses. This is one of the sandbox. */
const finalStatus = "SANDBOX_DELIVERED"

export const calls = Effect.gen(function* () {
  const service = yield* MessagingTopup

  const { encoding, remaining, segments } = SmsText.preview(request.message)
  yield* heading("The same from a program")
  yield* line("to", `${request.recipient}, from ${request.sender_id}`)
  yield* line("text", request.message)
  yield* line("segments", `${segments} (${encoding}, ${remaining} units left)`)

  const { data: accepted } = yield* service.sendSms(request)
  for (const { message_id, status } of accepted) {
    yield* line("accepted", `${good(message_id)} ${status}`)
    const { data } = yield* service.getSmsStatus(message_id).pipe(
      Effect.repeat({
        until: (read) => read.data.some((record) => record.status === finalStatus),
        schedule: Schedule.spaced("20 millis")
      }),
      Effect.timeout("5 seconds")
    )
    yield* line("final", `${good(finalStatus)} created ${data[0]?.date_created}`)
  }

  yield* heading("Purchases")
  const airtime = yield* service.getAirtimeStatus("AIR-1001")
  for (const { amount, recipient_network, recipient_phone, status } of airtime.data) {
    yield* line("airtime", `${status}: ${amount} to ${recipient_phone}, ${recipient_network}`)
  }
  const bundle = yield* service.getDataBundleStatus("DATA-2001")
  yield* line("bundle", `${bundle.status}: ${bundle.plan_id} to ${bundle.recipient_phone}`)

  const { category } = yield* service.listDataBundles()
  yield* heading(`Data bundles: ${category.length}`)
  // Without the name, a line fits into 60 columns. The name only repeats the other columns.
  yield* table(category.slice(0, 2).map(({ name: _, ...columns }) => columns))
})

/** The sandbox loses a response on demand. */
export const threeFailures = Effect.fnUntraced(function* (baseUrl: string) {
  const service = yield* MessagingTopup
  yield* heading("Three failures")

  yield* Effect.flatMap(MessagingTopup, (unauthorized) => unauthorized.sendSms(request)).pipe(
    Effect.provide(MessagingTopup.layer({ baseUrl, token: Redacted.make("not-the-token") })),
    Effect.catchTag("AuthenticationFailed", (error) =>
      line(bad("401"), `${error._tag}: ${sendOutcome(error)}`)
    )
  )
  yield* service
    .getSmsStatus("no-such-message")
    .pipe(
      Effect.catchTag("NotFound", (error) =>
        line(bad("404"), `${error._tag}: ${error.error.detail}`)
      )
    )
  yield* service
    .sendSms({ ...request, recipient: "+15550000900" })
    .pipe(
      Effect.catch((error) =>
        line(warn("lost"), `${error._tag}: ${warn(sendOutcome(error))}, and never resent`)
      )
    )
})
