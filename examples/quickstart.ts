/**
 * Previews a text, sends it, waits for its status, reads purchases, lists bundles, and shows three failures.
 *
 * It uses the service of `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN`.
 */
import { MessagingTopup, sendOutcome, type SendSmsRequest, SmsText } from "@messaging-topup/core"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { bad, exitWith, good, heading, line, table, warn } from "./terminal.ts"

export interface Plan<E> {
  /** The SMS to send. Undefined if nothing is to be sent. */
  readonly request: SendSmsRequest | undefined
  /** Whether to send. It runs after the preview was shown. */
  readonly confirm: Effect.Effect<boolean, E>
  /** The status that ends the wait. The service does not document final statuses. Empty: no wait. */
  readonly finalStatus: string
  readonly askAgainAfter: Duration.Input
  /** References of purchases to read. An empty one is not read. */
  readonly airtimeReference: string
  readonly dataBundleReference: string
}

/** Prints one line on the error, and sets the exit code. The rest continues. */
const failed = (label: string, text: string) => Effect.andThen(line(bad(label), text), exitWith(1))

const preview = ({ message, recipient, sender_id }: SendSmsRequest) =>
  Effect.gen(function* () {
    const { encoding, remaining, segments } = SmsText.preview(message)
    yield* heading("The same from a program")
    yield* line("to", `${recipient}, from ${sender_id ?? "the account's own sender"}`)
    yield* line("text", message)
    yield* line("segments", `${segments} (${encoding}, ${remaining} units left)`)
  })

const follow = (messageId: string, { askAgainAfter, finalStatus }: Plan<unknown>) =>
  Effect.flatMap(MessagingTopup, ({ getSmsStatus }) => getSmsStatus(messageId)).pipe(
    Effect.repeat({
      until: ({ data }) => data.some(({ status }) => status === finalStatus),
      schedule: Schedule.spaced(askAgainAfter)
    }),
    Effect.timeout("5 seconds"),
    Effect.flatMap(({ data }) =>
      line("final", `${good(finalStatus)} created ${data[0]?.date_created}`)
    ),
    Effect.catchTag("TimeoutError", () =>
      line("not yet", `${warn("no final status")} after 5 seconds; the SMS is still on its way`)
    ),
    Effect.catch((error) => failed("status", error.message))
  )

const sendAndFollow = Effect.fnUntraced(function* (request: SendSmsRequest, plan: Plan<unknown>) {
  const service = yield* MessagingTopup
  yield* service.sendSms(request).pipe(
    Effect.flatMap(({ data }) =>
      Effect.forEach(data, ({ message_id, status }) =>
        Effect.andThen(
          line("accepted", `${good(message_id)} ${status}`),
          plan.finalStatus === "" ? Effect.void : follow(message_id, plan)
        )
      )
    ),
    Effect.catch((error) => failed("outcome", `${sendOutcome(error)}: ${error.message}`))
  )
})

const readAirtime = Effect.fnUntraced(function* (reference: string) {
  const { data } = yield* Effect.flatMap(MessagingTopup, (service) =>
    service.getAirtimeStatus(reference)
  )
  for (const { amount, recipient_network, recipient_phone, status } of data) {
    yield* line("airtime", `${status}: ${amount} to ${recipient_phone}, ${recipient_network}`)
  }
  if (data.length === 0) yield* line("airtime", `${reference}: no record`)
})

const readBundle = Effect.fnUntraced(function* (reference: string) {
  const { plan_id, recipient_phone, status } = yield* Effect.flatMap(MessagingTopup, (service) =>
    service.getDataBundleStatus(reference)
  )
  yield* line("bundle", `${status}: ${plan_id} to ${recipient_phone}`)
})

const readPurchases = Effect.fnUntraced(function* ({
  airtimeReference,
  dataBundleReference
}: Plan<unknown>) {
  if (airtimeReference === "" && dataBundleReference === "") return
  yield* heading("Purchases")
  if (airtimeReference !== "") {
    yield* Effect.catch(readAirtime(airtimeReference), (error) =>
      failed("airtime", `${airtimeReference}: ${error.message}`)
    )
  }
  if (dataBundleReference !== "") {
    yield* Effect.catch(readBundle(dataBundleReference), (error) =>
      failed("bundle", `${dataBundleReference}: ${error.message}`)
    )
  }
})

const listBundles = Effect.fnUntraced(function* () {
  const service = yield* MessagingTopup
  const { category } = yield* service.listDataBundles()
  yield* heading(`Data bundles: ${category.length}`)
  // Without the name, a line fits into 60 columns. The name only repeats the other columns.
  yield* table(category.slice(0, 2).map(({ name: _, ...bundle }) => bundle))
})

export const quickstart = Effect.fnUntraced(function* <E>(plan: Plan<E>) {
  if (plan.request !== undefined) {
    yield* preview(plan.request)
    if (yield* plan.confirm) yield* sendAndFollow(plan.request, plan)
    else yield* line("not sent", "nobody approved it")
  }
  yield* readPurchases(plan)
  yield* listBundles()
})

/** Shows three failures. They need the sandbox, which loses a response on demand. */
export const threeFailures = Effect.fnUntraced(function* (
  baseUrl: string,
  request: SendSmsRequest
) {
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
