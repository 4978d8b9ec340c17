/** Makes the five operations on a transport. */
import type * as Effect from "effect/Effect"
import { getAirtimeStatus, type GetAirtimeStatusError } from "../operations/GetAirtimeStatus.ts"
import {
  getDataBundleStatus,
  type GetDataBundleStatusError
} from "../operations/GetDataBundleStatus.ts"
import { getSmsStatus, type GetSmsStatusError } from "../operations/GetSmsStatus.ts"
import { listDataBundles, type ListDataBundlesError } from "../operations/ListDataBundles.ts"
import type {
  GetAirtimeStatusResponse,
  GetDataBundleStatusResponse,
  GetSmsStatusResponse,
  ListDataBundlesOptions,
  ListDataBundlesResponse,
  SendSmsRequest,
  SendSmsResponse
} from "../operations/Model.ts"
import { sendSms, type SendSmsError } from "../operations/SendSms.ts"
import { interpreter } from "./Interpreter.ts"
import type { Transport } from "./Send.ts"
import type { Settings } from "./Settings.ts"

/** The five operations of `MessagingTopup`. A test that needs no sandbox can provide its own. */
export interface MessagingTopupService {
  /**
   * Sends an SMS. One call starts at most one request: the call is retried only if its request did
   * not start. `sendOutcome` says for every failure whether the message went out. A browser may
   * resend a POST on its own, so send from a server.
   *
   * Source: service description §4.1, POST /sms/send
   */
  readonly sendSms: (request: SendSmsRequest) => Effect.Effect<SendSmsResponse, SendSmsError>
  /**
   * Returns the status of one SMS.
   *
   * Source: service description §4.2, GET /sms/{message_id}
   */
  readonly getSmsStatus: (
    messageId: string
  ) => Effect.Effect<GetSmsStatusResponse, GetSmsStatusError>
  /**
   * Returns the purchase history of an airtime purchase.
   *
   * Source: service description §4.3, GET /v1/airtime/{referencecode}
   */
  readonly getAirtimeStatus: (
    referenceCode: string
  ) => Effect.Effect<GetAirtimeStatusResponse, GetAirtimeStatusError>
  /**
   * Returns the status of a purchased data bundle.
   *
   * Source: service description §4.4, GET /v1/databundle/{referencecode}
   */
  readonly getDataBundleStatus: (
    referenceCode: string
  ) => Effect.Effect<GetDataBundleStatusResponse, GetDataBundleStatusError>
  /**
   * Returns the available data bundles.
   *
   * Source: service description §4.5, GET /v1/list-bundles
   */
  readonly listDataBundles: (
    options?: ListDataBundlesOptions
  ) => Effect.Effect<ListDataBundlesResponse, ListDataBundlesError>
  /** The time-out of one attempt, in milliseconds. A program's own service may leave it out. */
  readonly timeoutMillis?: number
}

export const endpoints = {
  sendSms,
  getSmsStatus,
  getAirtimeStatus,
  getDataBundleStatus,
  listDataBundles
}

export const makeService = (settings: Settings, transport: Transport): MessagingTopupService => {
  const method = interpreter(settings, transport)
  const sends = method(endpoints.sendSms)
  const smsStatus = method(endpoints.getSmsStatus)
  const airtimeStatus = method(endpoints.getAirtimeStatus)
  const dataBundleStatus = method(endpoints.getDataBundleStatus)
  const dataBundles = method(endpoints.listDataBundles)
  return {
    sendSms: (payload) => sends({ payload }),
    getSmsStatus: (message_id) => smsStatus({ params: { message_id } }),
    getAirtimeStatus: (referencecode) => airtimeStatus({ params: { referencecode } }),
    getDataBundleStatus: (referencecode) => dataBundleStatus({ params: { referencecode } }),
    listDataBundles: (options) => dataBundles({ query: options?.query ?? {} })
  }
}
