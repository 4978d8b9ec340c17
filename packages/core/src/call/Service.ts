/** Makes the five operations on a transport. */
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import {
  getAirtimeStatus,
  getDataBundleStatus,
  getSmsStatus,
  listDataBundles,
  sendSms
} from "../operations/Endpoints.ts"
import type { Operations } from "../operations/Model.ts"
import { interpreter } from "./Interpreter.ts"
import type { Settings } from "./Options.ts"
import type { Transport } from "./Transport.ts"

type Methods = {
  readonly [Name in keyof Operations]: (
    ...input: Operations[Name]["input"]
  ) => Effect.Effect<Operations[Name]["success"], Operations[Name]["error"]>
}

/** The five operations of `MessagingTopup`. A test that needs no sandbox can provide its own. */
export interface MessagingTopupService extends Methods {
  /**
   * The time-out of one attempt, in milliseconds: a request that started that long ago has ended. A
   * program's own service may leave it out.
   */
  readonly timeoutMillis?: number
}

/** Longer than a request takes with the time-outs of usual clients. */
const usualTimeoutMillis = 120_000

/** How long one attempt of a service may take. A mock has something else in the place of the number. */
export const attemptMillis = ({ timeoutMillis }: MessagingTopupService): number =>
  Predicate.isNumber(timeoutMillis) ? timeoutMillis : usualTimeoutMillis

export const makeService = (
  settings: Settings,
  transport: Transport["Service"]
): MessagingTopupService => {
  const method = interpreter(settings, transport)
  const sends = method(sendSms)
  const smsStatus = method(getSmsStatus)
  const airtimeStatus = method(getAirtimeStatus)
  const dataBundleStatus = method(getDataBundleStatus)
  const dataBundles = method(listDataBundles)
  return {
    sendSms: (payload) => sends({ payload }),
    getSmsStatus: (message_id) => smsStatus({ params: { message_id } }),
    getAirtimeStatus: (referencecode) => airtimeStatus({ params: { referencecode } }),
    getDataBundleStatus: (referencecode) => dataBundleStatus({ params: { referencecode } }),
    listDataBundles: (options) => dataBundles({ query: options?.query ?? {} }),
    timeoutMillis: settings.timeout
  }
}
