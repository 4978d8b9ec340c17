import { describe, expect } from "@effect/vitest"
import {
  ErrorBody,
  GetAirtimeStatusResponse,
  GetDataBundleStatusResponse,
  GetSmsStatusResponse,
  ListDataBundlesResponse,
  SendSmsResponse
} from "@messaging-topup/core"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ReadResponse, call, send, sms } from "./support/Client.ts"
import { sandboxTest } from "./support/SandboxTest.ts"

const decode =
  <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) =>
  ({ body }: ReadResponse) =>
    Schema.decodeEffect(Schema.fromJsonString(schema))(body)

const sendOne = Effect.gen(function* () {
  const { data } = yield* Effect.flatMap(send(), decode(SendSmsResponse))
  return data[0]?.message_id ?? ""
})

const smsStatus = (id: string) => Effect.flatMap(call(`/sms/${id}`), decode(GetSmsStatusResponse))

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
      const ids = yield* Effect.all(
        Array.from({ length: 20 }, () => sendOne),
        {
          concurrency: "unbounded"
        }
      )
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
      for (let read = 0; read < 3; read++) statuses.push((yield* smsStatus(id)).data[0]?.status)
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
        senders.push((yield* smsStatus(message_id)).data[0]?.sender_id)
      }
      expect(senders).toEqual(["SANDBOX", "Shop"])
    })
  )

  sandboxTest(
    "responds with 404 and a detail that names the id",
    Effect.gen(function* () {
      const response = yield* call("/sms/no-such-id")
      expect(response.status).toBe(404)
      const { error } = yield* decode(ErrorBody)(response)
      expect(error).toEqual({
        status: 404,
        title: "Unknown message id",
        detail: expect.stringContaining("no-such-id")
      })
    })
  )

  sandboxTest(
    "decodes the id exactly once, also a long id",
    Effect.gen(function* () {
      const id = `a/b%2e${"x".repeat(500)}`
      const { error } = yield* Effect.flatMap(
        call(`/sms/${encodeURIComponent(id)}`),
        decode(ErrorBody)
      )
      expect(error.detail).toContain(id)
    })
  )
})

describe("getAirtimeStatus", () => {
  for (const reference of ["AIR-1001", "AIR-1002"]) {
    sandboxTest(
      `returns the seeded ${reference}`,
      Effect.gen(function* () {
        const response = yield* call(`/v1/airtime/${reference}`)
        expect(response.status).toBe(200)
        const { data, status } = yield* decode(GetAirtimeStatusResponse)(response)
        expect({ status, records: data.length }).toEqual({ status: 200, records: 1 })
      })
    )
  }

  sandboxTest(
    "responds with 404 and a detail that names the reference",
    Effect.gen(function* () {
      const response = yield* call("/v1/airtime/AIR-9999")
      expect(response.status).toBe(404)
      const { error } = yield* decode(ErrorBody)(response)
      expect(error).toMatchObject({
        title: "Not found",
        detail: expect.stringContaining("AIR-9999")
      })
    })
  )
})

describe("getDataBundleStatus", () => {
  for (const reference of ["DATA-2001", "DATA-2002"]) {
    sandboxTest(
      `returns the seeded ${reference} without an envelope`,
      Effect.gen(function* () {
        const response = yield* call(`/v1/databundle/${reference}`)
        expect(response.status).toBe(200)
        yield* decode(GetDataBundleStatusResponse)(response)
      })
    )
  }

  sandboxTest(
    "responds with 400, the only error it documents, for an unknown reference",
    Effect.gen(function* () {
      const response = yield* call("/v1/databundle/DATA-9999")
      expect(response.status).toBe(400)
      const { error } = yield* decode(ErrorBody)(response)
      expect(error).toMatchObject({ status: 0, title: "Invalid Request Value" })
    })
  )
})

describe("listDataBundles", () => {
  sandboxTest(
    "lists 12 bundles for any query, and records the query",
    Effect.gen(function* () {
      const { requests } = yield* Sandbox
      const all = yield* Effect.flatMap(call("/v1/list-bundles"), decode(ListDataBundlesResponse))
      const some = yield* call("/v1/list-bundles?network=x&network=y")
      expect(all.category).toHaveLength(12)
      expect(yield* decode(ListDataBundlesResponse)(some)).toEqual(all)
      expect((yield* requests())[0]?.path).toBe("/v1/list-bundles?network=x&network=y")
    })
  )
})
