/** The handlers of the five operations. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Struct from "effect/Struct"
import { refuse, unknownMessageId } from "../http/ErrorResponses.ts"
import { Handling } from "../http/Handling.ts"
import type { Messages } from "../kept/Messages.ts"
import { ServiceApi } from "../SandboxApi.ts"
import { forcedError, forcedOutcomeOf, type ForcedOutcome, outcomeOfEnding } from "./Outcomes.ts"
import * as Seeds from "./Seeds.ts"

/** Keeps a forced outcome. A fault that was set comes before it. */
const force = Effect.fnUntraced(function* (
  outcome: ForcedOutcome | undefined,
  notFoundTitle?: string
) {
  const handling = yield* Handling
  if (outcome === undefined || handling.got.fault !== undefined) return undefined
  const { fault, suffix } = outcome
  handling.keep({ fault: fault.fault, forced: suffix })
  handling.forcedFault =
    notFoundTitle !== undefined && fault.fault === "Response" && fault.status === 404
      ? forcedError(404, suffix, { title: notFoundTitle })
      : fault
  return outcome
})

const retrieved = <Record>(what: string, record: Record) => ({
  success: true,
  status: 200,
  message: `${what} status retrieved successfully`,
  data: [record]
})

/** The description requires both fields. An empty value counts as missing. */
const empty = (field: string, wanted: string) =>
  refuse(400, `${field}: it is empty; give ${wanted}`)

/** The record of a reference code. One that forces an outcome has the sample. */
const recordOf = <A>(records: ReadonlyMap<string, A>, code: string, sample: A) =>
  Effect.map(force(outcomeOfEnding(code)), (forced) =>
    forced === undefined ? records.get(code) : sample
  )

export const layer = (messages: Messages) =>
  HttpApiBuilder.group(ServiceApi, "messagingTopup", (handlers) =>
    handlers.handleAll({
      sendSms: Effect.fnUntraced(function* ({ payload }) {
        if (payload.recipient === "") return yield* empty("recipient", "a phone number")
        if (payload.message === "") return yield* empty("message", "a text")
        const handling = yield* Handling
        const outcome = forcedOutcomeOf(payload.recipient)
        const isOver = outcome?.isOnce === true && messages.isRecipient(payload.recipient)
        const forced = yield* force(isOver ? undefined : outcome)
        // The forced fault is the response.
        if (forced?.accepted === false) return HttpServerResponse.empty()
        const kept = Struct.pick(handling.got, ["fault", "forced"])
        const result = yield* messages.accept(payload, kept)
        handling.keep({ message_id: result.message_id })
        return { success: true, status: 202, message: "SMS accepted", data: [result] }
      }),

      getSmsStatus: Effect.fnUntraced(function* ({ params: { message_id }, request: { method } }) {
        const forced = yield* force(outcomeOfEnding(message_id), unknownMessageId)
        if (forced !== undefined) return retrieved("SMS", Seeds.sampleSms(message_id))
        // A probe reads no status.
        const record = method === "HEAD" ? messages.record : messages.read
        return yield* record(message_id).pipe(
          Effect.map((found) => retrieved("SMS", found)),
          Effect.catch(() =>
            refuse(404, `No message was found with the id ${message_id}`, unknownMessageId)
          )
        )
      }),

      getAirtimeStatus: Effect.fnUntraced(function* ({ params: { referencecode: code } }) {
        const record = yield* recordOf(Seeds.airtime, code, Seeds.sampleAirtime)
        return record === undefined
          ? yield* refuse(404, `No airtime request was found with the reference ${code}`)
          : retrieved("Airtime", record)
      }),

      getDataBundleStatus: Effect.fnUntraced(function* ({ params: { referencecode: code } }) {
        const record = yield* recordOf(Seeds.dataBundles, code, Seeds.sampleDataBundle)
        // This endpoint documents no 404.
        return (
          record ??
          (yield* refuse(400, `No data bundle purchase was found with the reference ${code}`))
        )
      }),

      listDataBundles: () => Effect.succeed({ category: Seeds.bundles })
    })
  )
