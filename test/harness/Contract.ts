/**
 * The content of the service description for each operation, as data for tests.
 */
import {
  type ClientFailure,
  documentedErrors,
  type MessagingTopup,
  type SendOutcome
} from "@messaging-topup/core"
import type * as Effect from "effect/Effect"

type Service = MessagingTopup["Service"]

export const operationNames = [
  "sendSms",
  "getSmsStatus",
  "getAirtimeStatus",
  "getDataBundleStatus",
  "listDataBundles"
] as const

export type OperationName = (typeof operationNames)[number]

export interface OperationFacts {
  readonly section: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly successStatus: number
  readonly success: object
  readonly errors: ReadonlyArray<number>
  readonly call: (service: Service) => Effect.Effect<unknown, { readonly _tag: string }>
}

const envelope = <Entry>(status: number, data: ReadonlyArray<Entry>) => ({
  success: true,
  status,
  message: "As described",
  data
})

export const recipient = "+15550100123"
export const text = "Your code is 4711"

/** The send of most tests. */
export const sendOne = (service: Service) => service.sendSms({ recipient, message: text })

/** The response to an accepted SMS. */
export const acceptance = envelope(202, [{ recipient, message_id: "m-1", status: "any" }])

export const contract: Readonly<Record<OperationName, OperationFacts>> = {
  sendSms: {
    section: "4.1",
    method: "POST",
    path: "/sms/send",
    successStatus: 202,
    success: acceptance,
    errors: [400, 401, 402, 403, 404, 500],
    call: sendOne
  },
  getSmsStatus: {
    section: "4.2",
    method: "GET",
    path: "/sms/m-1",
    successStatus: 200,
    success: envelope(200, [
      { recipient, message_id: "m-1", status: "any", date_created: "any", sender_id: "ACME" }
    ]),
    errors: [400, 401, 403, 404, 500],
    call: (service) => service.getSmsStatus("m-1")
  },
  getAirtimeStatus: {
    section: "4.3",
    method: "GET",
    path: "/v1/airtime/a-1",
    successStatus: 200,
    success: envelope(200, [
      {
        message_id: "a-1",
        status: "any",
        recipient_phone: recipient,
        recipient_network: "any",
        date_created: "any",
        amount: "10.00"
      }
    ]),
    errors: [400, 401, 403, 404, 500],
    call: (service) => service.getAirtimeStatus("a-1")
  },
  getDataBundleStatus: {
    section: "4.4",
    method: "GET",
    path: "/v1/databundle/d-1",
    successStatus: 200,
    success: {
      transaction_id: "t-1",
      recipient_phone: recipient,
      recipient_network: "any",
      plan_id: "p-1",
      status: "any"
    },
    errors: [400],
    call: (service) => service.getDataBundleStatus("d-1")
  },
  listDataBundles: {
    section: "4.5",
    method: "GET",
    path: "/v1/list-bundles",
    successStatus: 200,
    success: {
      category: [
        { bundle_id: "b-1", name: "Day", price: "1.00", data_amount: "1GB", validity: "1 day" }
      ]
    },
    errors: [400],
    call: (service) => service.listDataBundles()
  }
}

/** Every status that is documented somewhere, as core knows them. */
export const documentedStatuses: ReadonlyArray<number> = [
  ...new Set([200, 202, ...Object.values(documentedErrors).map(({ status }) => status)])
]

export const errorTags: Readonly<Record<number, string>> = {
  400: "InvalidRequest",
  401: "AuthenticationFailed",
  402: "PaymentRequired",
  403: "InsufficientPermissions",
  404: "NotFound",
  500: "InternalServerError"
}

/**
 * What a status says of the SMS if its response is whole, and that of an error as documented. After every other one, it
 * is unknown.
 */
export const sendOutcomes: Readonly<Record<number, SendOutcome>> = {
  202: "sent",
  400: "not-sent",
  401: "not-sent",
  402: "not-sent",
  403: "not-sent",
  404: "not-sent",
  429: "not-sent"
}

/** The tags of the failures that every operation shares. The type requires each. */
export const clientFailures = Object.keys({
  InvalidInput: true,
  ConnectionFailed: true,
  ConnectionLost: true,
  RequestTimedOut: true,
  UndocumentedStatus: true,
  InvalidResponse: true
} satisfies Record<ClientFailure["_tag"], true>)

export const errorBody = (status: number) => ({
  success: false,
  error: { status, title: "A title", detail: "A detail" }
})
