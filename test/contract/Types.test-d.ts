import {
  type AuthenticationFailed,
  type ConfigurationError,
  type ConnectionFailed,
  type ConnectionLost,
  type documentedErrors,
  type GetAirtimeStatusError,
  type GetDataBundleStatusError,
  type GetSmsStatusError,
  type InsufficientPermissions,
  type InternalServerError,
  type InvalidInput,
  type InvalidRequest,
  type InvalidResponse,
  layerConfig,
  type ListDataBundlesError,
  MessagingTopup,
  type NotFound,
  type PaymentRequired,
  type RequestTimedOut,
  sendOutcome,
  type SendOutcome,
  type SendSmsError,
  type Transport,
  type UndocumentedStatus
} from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expectTypeOf, it } from "vitest"

type Service = MessagingTopup["Service"]
type Operation = Exclude<keyof Service, "address" | "timeoutMillis">
type ErrorOf<Name extends Operation> = Effect.Error<ReturnType<Service[Name]>>
type ServicesOf<Name extends Operation> = Effect.Services<ReturnType<Service[Name]>>

type ClientFailures =
  | InvalidInput
  | ConnectionFailed
  | ConnectionLost
  | RequestTimedOut
  | UndocumentedStatus
  | InvalidResponse

type StatusErrors =
  | InvalidRequest
  | AuthenticationFailed
  | InsufficientPermissions
  | NotFound
  | InternalServerError
  | ClientFailures

describe("the error channel is exactly the documented statuses and the client failures", () => {
  it("of sendSms", () => {
    type Expected = StatusErrors | PaymentRequired
    expectTypeOf<SendSmsError>().toEqualTypeOf<Expected>()
    expectTypeOf<ErrorOf<"sendSms">>().toEqualTypeOf<Expected>()
  })

  it("of getSmsStatus", () => {
    expectTypeOf<GetSmsStatusError>().toEqualTypeOf<StatusErrors>()
    expectTypeOf<ErrorOf<"getSmsStatus">>().toEqualTypeOf<StatusErrors>()
  })

  it("of getAirtimeStatus", () => {
    expectTypeOf<GetAirtimeStatusError>().toEqualTypeOf<StatusErrors>()
    expectTypeOf<ErrorOf<"getAirtimeStatus">>().toEqualTypeOf<StatusErrors>()
  })

  it("of getDataBundleStatus", () => {
    expectTypeOf<GetDataBundleStatusError>().toEqualTypeOf<InvalidRequest | ClientFailures>()
    expectTypeOf<ErrorOf<"getDataBundleStatus">>().toEqualTypeOf<InvalidRequest | ClientFailures>()
  })

  it("of listDataBundles", () => {
    expectTypeOf<ListDataBundlesError>().toEqualTypeOf<InvalidRequest | ClientFailures>()
    expectTypeOf<ErrorOf<"listDataBundles">>().toEqualTypeOf<InvalidRequest | ClientFailures>()
  })
})

describe("the rest of the public types", () => {
  it("leave no service for the caller to provide", () => {
    expectTypeOf<ServicesOf<Operation>>().toEqualTypeOf<never>()
  })

  it("ask for a transport alone", () => {
    expectTypeOf(MessagingTopup.layer).returns.toEqualTypeOf<
      Layer.Layer<MessagingTopup, ConfigurationError, Transport>
    >()
    expectTypeOf(layerConfig).toEqualTypeOf<
      Layer.Layer<MessagingTopup, ConfigurationError, Transport>
    >()
    expectTypeOf(NodeTransport.layer).toEqualTypeOf<Layer.Layer<Transport, ConfigurationError>>()
    // A wrapper cannot leave it out.
    expectTypeOf<Transport["Service"]["reportsStart"]>().toEqualTypeOf<boolean>()
  })

  it("give every failed send an outcome", () => {
    expectTypeOf(sendOutcome).parameters.toEqualTypeOf<[unknown]>()
    expectTypeOf(sendOutcome).returns.toEqualTypeOf<SendOutcome>()
    expectTypeOf<SendOutcome>().toEqualTypeOf<"not-sent" | "unknown" | "sent">()
  })

  it("end a send for good only after a refusal of which nothing went out", () => {
    type Documented = (typeof documentedErrors)[keyof typeof documentedErrors]
    type OfRequest = Extract<Documented, { readonly concerns: "request" }>
    expectTypeOf<OfRequest["sendOutcome"]>().toEqualTypeOf<"not-sent">()
  })

  it("keep statuses, amounts and dates open strings", () => {
    type Record = Effect.Success<ReturnType<Service["getAirtimeStatus"]>>["data"][number]
    expectTypeOf<Record["status"]>().toEqualTypeOf<string>()
    expectTypeOf<Record["amount"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Record["date_created"]>().toEqualTypeOf<string | undefined>()
  })
})
