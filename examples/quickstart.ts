/**
 * The main job, over HTTP: preview a text, send it, follow it, read purchases, list bundles, and meet
 * three failures.
 *
 * `MESSAGING_TOPUP_BASE_URL` and `MESSAGING_TOPUP_TOKEN` say which service it talks to.
 */
import {
  awaitSmsStatus,
  MessagingTopup,
  sendOutcome,
  type SendSmsRequest,
  SmsText
} from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { bad, good, heading, line, table, warn } from "./terminal.ts"

export interface Plan {
  readonly request: SendSmsRequest
  /** Whether to send, after the preview was shown. */
  readonly confirm: Effect.Effect<boolean>
  /** The status that ends the wait; which ones are final is not documented. */
  readonly finalStatus: string
  /** References of purchases to read; an empty one is left out. */
  readonly airtimeReference: string
  readonly dataBundleReference: string
}

const preview = ({ message, recipient, sender_id }: SendSmsRequest) =>
  Effect.gen(function* () {
    const { encoding, remaining, segments } = SmsText.preview(message)
    yield* heading("Preview")
    yield* line("to", recipient)
    yield* line("from", sender_id ?? "the account's own sender")
    yield* line("text", message)
    yield* line("parts", `${segments} (${encoding}, room for ${remaining} more)`)
  })

const sendAndFollow = Effect.fnUntraced(function* ({ finalStatus, request }: Plan) {
  const service = yield* MessagingTopup
  yield* heading("Send and follow")
  const { data } = yield* service
    .sendSms(request)
    .pipe(Effect.tapError((error) => line(bad("outcome"), sendOutcome(error))))
  for (const { message_id, status } of data) {
    yield* line("accepted", `${good(message_id)} ${status}`)
    const record = yield* awaitSmsStatus(message_id, {
      until: (latest) => latest.status === finalStatus,
      schedule: Schedule.spaced("20 millis"),
      timeout: "5 seconds"
    })
    yield* line("final", `${good(record.status)} created ${record.date_created}`)
  }
})

const readPurchases = Effect.fnUntraced(function* (plan: Plan) {
  const service = yield* MessagingTopup
  yield* heading("Purchases")
  if (plan.airtimeReference !== "") {
    const { data } = yield* service.getAirtimeStatus(plan.airtimeReference)
    for (const { amount, recipient_network, recipient_phone, status } of data) {
      yield* line("airtime", `${status}: ${amount} to ${recipient_phone} on ${recipient_network}`)
    }
  }
  if (plan.dataBundleReference !== "") {
    const bundle = yield* service.getDataBundleStatus(plan.dataBundleReference)
    yield* line(
      "bundle",
      `${bundle.status}: ${bundle.plan_id} to ${bundle.recipient_phone} on ${bundle.recipient_network}`
    )
  }
})

const listBundles = Effect.fnUntraced(function* () {
  const service = yield* MessagingTopup
  yield* heading("Data bundles")
  const { category } = yield* service.listDataBundles()
  yield* table(category.map((bundle) => ({ ...bundle })))
})

/** The main job. */
export const quickstart = Effect.fnUntraced(function* (plan: Plan) {
  yield* preview(plan.request)
  if (yield* plan.confirm) yield* sendAndFollow(plan)
  else yield* line("not sent", "nobody said yes")
  yield* readPurchases(plan)
  yield* listBundles()
})

/** Three failures as a user meets them. They need the sandbox: it loses an answer on demand. */
export const threeFailures = Effect.fnUntraced(function* (
  baseUrl: string,
  request: SendSmsRequest
) {
  const service = yield* MessagingTopup
  yield* heading("Three failures")

  yield* Effect.flatMap(MessagingTopup, (stranger) => stranger.sendSms(request)).pipe(
    Effect.provide(MessagingTopup.layer({ baseUrl, token: Redacted.make("not-the-token") })),
    Effect.catchTag("AuthenticationFailed", (error) =>
      line(bad("401"), `${error._tag}: ${error.error.detail} (${sendOutcome(error)})`)
    )
  )
  yield* service
    .getSmsStatus("no-such-message")
    .pipe(
      Effect.catchTag("NotFound", (error) => line(bad("404"), `NotFound: ${error.error.detail}`))
    )
  yield* service
    .sendSms({ ...request, recipient: "+15550000900" })
    .pipe(
      Effect.catch((error) =>
        line(warn("lost"), `${error._tag}: ${warn(sendOutcome(error))}, and never sent again`)
      )
    )
})
