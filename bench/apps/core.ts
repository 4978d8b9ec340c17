/**
 * An app with the service, its layer and one send.
 */
import { MessagingTopup, type SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export const send = (request: SendSmsRequest) =>
  MessagingTopup.pipe(
    Effect.flatMap((service) => service.sendSms(request)),
    Effect.provide(
      MessagingTopup.layer({
        baseUrl: "https://api.example.com",
        token: Redacted.make("token")
      }).pipe(Layer.provide(FetchTransport.layer))
    ),
    Effect.runPromise
  )
