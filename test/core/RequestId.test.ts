import { describe, expect, it } from "@effect/vitest"
import { withCallTimeout } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { transports } from "../support/Clients.ts"
import { errorBody, recipient, text } from "../support/Contract.ts"
import { unions } from "../support/ErrorUnions.ts"
import { reply, type Respond } from "../support/ResponseServer.ts"
import { serving } from "../support/Serving.ts"

const requestId = "req_8f14e45f-ceea"

const request = { recipient, message: text }

const begun =
  (status: number, isReset: boolean): Respond =>
  (_, response) => {
    response.writeHead(status, { "x-request-id": requestId, "content-length": "1000" })
    response.write("{", () => isReset && response.destroy())
  }

const withId = { "x-request-id": requestId }

describe.for(transports)("over %s, the id of a request", ([, transport]) => {
  it.live.each<readonly [tag: string, respond: Respond]>([
    ["InvalidRequest", reply(400, errorBody(400), withId)],
    ["InternalServerError", reply(500, errorBody(500), withId)],
    ["UndocumentedStatus", reply(503, "", withId)],
    ["InvalidResponse", reply(202, "<html>", withId)],
    ["ConnectionLost", begun(202, true)],
    ["RequestTimedOut", begun(202, false)]
  ])("is in %s, and in its JSON", ([tag, respond]) =>
    serving({ transport }, (service, server) =>
      Effect.gen(function* () {
        server.respondWith(respond)
        const sending = withCallTimeout(tag === "RequestTimedOut" ? 1500 : 10_000)(
          service.sendSms(request)
        )
        const error = yield* Effect.flip(sending)
        expect(error).toMatchObject({ _tag: tag, requestId })
        expect(inspect(error)).toContain(requestId)
        const decoded = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(unions.sendSms))(
          JSON.stringify(error)
        )
        expect(decoded).toMatchObject({ _tag: tag, requestId })
      })
    )
  )
})

describe("the id of a request", () => {
  const idOf = (headers: Readonly<Record<string, string>>) =>
    serving({}, (service, server) => {
      server.respondWith(reply(503, "", headers))
      return Effect.map(Effect.flip(service.sendSms(request)), (error) =>
        "requestId" in error ? error.requestId : undefined
      )
    })

  it.live.each(["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "cf-ray"])(
    "is the header %s",
    (name) => Effect.map(idOf({ [name]: requestId }), (id) => expect(id).toBe(requestId))
  )

  it.live("is that of the service, if a gateway adds one", () =>
    Effect.map(idOf({ "cf-ray": "7d0", "x-request-id": requestId }), (id) =>
      expect(id).toBe(requestId)
    )
  )

  it.live.each(["", "two words", "<script>", "x".repeat(129)])(
    "is left out if it does not look like one: %s",
    (value) => Effect.map(idOf({ "x-request-id": value }), (id) => expect(id).toBeUndefined())
  )
})
