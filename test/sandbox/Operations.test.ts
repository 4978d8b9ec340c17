import { describe, expect } from "@effect/vitest"
import {
  GetAirtimeStatusResponse,
  GetDataBundleStatusResponse,
  GetSmsStatusResponse,
  ListDataBundlesResponse,
  SendSmsResponse
} from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ReadResponse, call, send, sms } from "../harness/sandbox/Client.ts"
import { sandboxTest } from "../harness/sandbox/SandboxTest.ts"

const decode =
  <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) =>
  ({ body }: ReadResponse) =>
    Schema.decodeEffect(Schema.fromJsonString(schema))(body)

const sendOne = Effect.gen(function* () {
  const { data } = yield* Effect.flatMap(send(), decode(SendSmsResponse))
  return data[0]?.message_id ?? ""
})

const smsStatus = (id: string) =>
  Effect.map(
    Effect.flatMap(call(`/sms/${id}`), decode(GetSmsStatusResponse)),
    ({ data }) => data[0]
  )

describe("sendSms", () => {
  sandboxTest(
    "responds with 202 with one result for the recipient",
    Effect.gen(function* () {
      const response = yield* send()
      expect(response.status).toBe(202)
      const { data, status, success } = yield* decode(SendSmsResponse)(response)
      expect({ success, status }).toEqual({ success: true, status: 202 })
      expect(data).toEqual([
        { recipient: sms.recipient, message_id: expect.any(String), status: "SANDBOX_QUEUED" }
      ])
    })
  )

  sandboxTest(
    "assigns a unique id to each message, which never ends in digits",
    Effect.gen(function* () {
      const ids = yield* Effect.forEach(Array(20).keys(), () => sendOne, {
        concurrency: "unbounded"
      })
      expect(new Set(ids).size).toBe(20)
      for (const id of ids) expect(id).toMatch(/^sbx-\d+-[a-z]+$/)
    })
  )
})

describe("getSmsStatus", () => {
  sandboxTest(
    "advances by one step with each read, up to delivered",
    Effect.gen(function* () {
      const id = yield* sendOne
      const statuses = []
      for (let read = 0; read < 3; read++) statuses.push((yield* smsStatus(id))?.status)
      expect(statuses).toEqual(["SANDBOX_SENT", "SANDBOX_DELIVERED", "SANDBOX_DELIVERED"])
    })
  )

  sandboxTest(
    "returns the given sender, or the sandbox's default",
    Effect.gen(function* () {
      yield* send({ ...sms, sender_id: "Shop" })
      yield* send()
      const { messages } = yield* Sandbox
      const senders = []
      for (const { message_id } of yield* messages()) {
        senders.push((yield* smsStatus(message_id))?.sender_id)
      }
      expect(senders).toEqual(["SANDBOX", "Shop"])
    })
  )
})

sandboxTest(
  "the seeded references have records",
  Effect.gen(function* () {
    for (const reference of ["AIR-1001", "AIR-1002"]) {
      const response = yield* call(`/v1/airtime/${reference}`)
      const { data, status } = yield* decode(GetAirtimeStatusResponse)(response)
      expect([response.status, status, data.length]).toEqual([200, 200, 1])
    }
    for (const reference of ["DATA-2001", "DATA-2002"]) {
      const response = yield* call(`/v1/databundle/${reference}`)
      expect(response.status).toBe(200)
      yield* decode(GetDataBundleStatusResponse)(response)
    }
  })
)

sandboxTest(
  "listDataBundles lists 12 bundles for any query",
  Effect.gen(function* () {
    for (const query of ["", "?network=x&network=y"]) {
      const list = yield* call(`/v1/list-bundles${query}`)
      expect((yield* decode(ListDataBundlesResponse)(list)).category).toHaveLength(12)
    }
  })
)
