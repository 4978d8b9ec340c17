/**
 * The handlers of the five operations.
 */
import { InvalidRequest, NotFound } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { errorBody, unknownMessageId } from "../http/ErrorResponses.ts"
import { fictionalNumber } from "./ForcedOutcomes.ts"
import { orForced } from "./ForcedResponse.ts"
import * as Seeds from "./Seeds.ts"
import { ServiceApi } from "./ServiceApi.ts"
import type { State } from "../record/State.ts"
import { RequestDetails } from "./RequestDetails.ts"

const sent = <Record>(record: Record) => ({
  success: true,
  status: 202,
  message: "SMS accepted",
  data: [record]
})

const retrieved =
  (what: string) =>
  <Record>(record: Record) => ({
    success: true,
    status: 200,
    message: `${what} status retrieved successfully`,
    data: [record]
  })

const orFail = <A, E>(record: A | undefined, error: () => E) =>
  Effect.suspend(() => (record === undefined ? Effect.fail(error()) : Effect.succeed(record)))

/** The description requires both fields. An empty value counts as missing. */
const empty = (field: string, wanted: string) =>
  Effect.fail(
    new InvalidRequest({
      operation: "sendSms",
      ...errorBody(400, `${field}: it is empty; give ${wanted}`)
    })
  )

export const layer = (state: State) =>
  HttpApiBuilder.group(ServiceApi, "messagingTopup", (handlers) =>
    handlers.handleAll({
      sendSms: Effect.fnUntraced(function* ({ payload }) {
        const details = yield* RequestDetails
        if (payload.recipient === "") return yield* empty("recipient", "a phone number")
        if (payload.message === "") return yield* empty("message", "a text")
        const accept = Effect.gen(function* () {
          const record = yield* state.accept(payload, details.outcome.fault)
          details.outcome = { ...details.outcome, message_id: record.message_id }
          return sent(record)
        })
        return yield* orForced(fictionalNumber(payload.recipient), {
          success: accept,
          normal: accept
        })
      }),

      getSmsStatus: ({ params: { message_id } }) => {
        const unknown = () =>
          new NotFound({
            operation: "getSmsStatus",
            ...errorBody(404, `No message was found with the id ${message_id}`, unknownMessageId)
          })
        return orForced(message_id, {
          success: Effect.succeed(retrieved("SMS")(Seeds.sampleSms(message_id))),
          normal: state
            .read(message_id)
            .pipe(Effect.mapError(unknown), Effect.map(retrieved("SMS"))),
          notFoundTitle: unknownMessageId
        })
      },

      getAirtimeStatus: ({ params: { referencecode } }) => {
        const unknown = () =>
          new NotFound({
            operation: "getAirtimeStatus",
            ...errorBody(404, `No airtime request was found with the reference ${referencecode}`)
          })
        return orForced(referencecode, {
          success: Effect.succeed(retrieved("Airtime")(Seeds.sampleAirtime)),
          normal: orFail(Seeds.airtime.get(referencecode), unknown).pipe(
            Effect.map(retrieved("Airtime"))
          )
        })
      },

      getDataBundleStatus: ({ params: { referencecode } }) => {
        // This endpoint documents no 404.
        const unknown = () =>
          new InvalidRequest({
            operation: "getDataBundleStatus",
            ...errorBody(
              400,
              `No data bundle purchase was found with the reference ${referencecode}`
            )
          })
        return orForced(referencecode, {
          success: Effect.succeed(Seeds.sampleDataBundle),
          normal: orFail(Seeds.dataBundles.get(referencecode), unknown)
        })
      },

      listDataBundles: () => Effect.succeed({ category: Seeds.bundles })
    })
  )
