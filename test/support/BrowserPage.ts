/**
 * Runs in a page: one call of either client. Arguments and results can be cloned.
 */
import { MessagingTopup, type SendOutcome, sendOutcome } from "@messaging-topup/core"
import { createClient, isSendSmsRejection } from "@messaging-topup/core/promise"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export interface PageCall {
  readonly client: "promise" | "effect"
  /** Sends an SMS to this recipient, or reads the status of this message. */
  readonly operation: "send" | "read"
  readonly value: string
  readonly baseUrl: string
  readonly token: string
}

type PageResult =
  | { readonly success: unknown }
  | { readonly failure: object; readonly outcome: SendOutcome | undefined }
  | "interrupted"

const toSms = (recipient: string) => ({ recipient, message: "Your code is 4711" })

const byPromise = (
  { baseUrl, operation, token, value }: PageCall,
  signal: AbortSignal
): Promise<PageResult> => {
  const client = createClient({ baseUrl, token })
  const call: Promise<unknown> =
    operation === "send"
      ? client.sendSms(toSms(value), { signal })
      : client.getSmsStatus(value, { signal })
  return call.then(
    (success) => ({ success }),
    (error: Error) => ({
      failure: { ...error, name: error.name },
      outcome: isSendSmsRejection(error) ? error.sendOutcome : undefined
    })
  )
}

const byEffect = (
  { baseUrl, operation, token, value }: PageCall,
  signal: AbortSignal
): Promise<PageResult> =>
  Effect.flatMap(MessagingTopup, (service) =>
    operation === "send"
      ? Effect.match(service.sendSms(toSms(value)), {
          onSuccess: (success): PageResult => ({ success }),
          onFailure: (error) => ({ failure: { ...error }, outcome: sendOutcome(error) })
        })
      : Effect.match(service.getSmsStatus(value), {
          onSuccess: (success): PageResult => ({ success }),
          onFailure: (error) => ({ failure: { ...error }, outcome: undefined })
        })
  ).pipe(
    Effect.provide(
      MessagingTopup.layer({ baseUrl, token: Redacted.make(token) }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
    ),
    (effect) => Effect.runPromiseExit(effect, { signal }),
    (running) => running.then((exit) => (Exit.isSuccess(exit) ? exit.value : "interrupted"))
  )

let controller = new AbortController()

const page = {
  call: (call: PageCall): Promise<PageResult> => {
    controller = new AbortController()
    return (call.client === "promise" ? byPromise : byEffect)(call, controller.signal)
  },
  /** Aborts the last call. */
  abort: () => controller.abort()
}

declare global {
  var messagingTopupPage: typeof page
}

globalThis.messagingTopupPage = page
