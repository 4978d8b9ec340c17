/**
 * The five endpoints, as data.
 *
 * Source: service description §4
 */
import * as Schema from "effect/Schema"
import {
  AuthenticationFailed,
  type DocumentedErrorClass,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound,
  PaymentRequired
} from "../errors/DocumentedErrors.ts"
import { acceptedStatus, illFormed } from "../errors/Failure.ts"
import type { Operations } from "./Model.ts"
import * as Schemas from "./Schemas.ts"

/** One endpoint of the service, as data for the client, the sandbox and the documentation. */
export interface Endpoint {
  readonly name: keyof Operations
  readonly method: "GET" | "POST"
  /** As the description writes it, such as `/sms/{message_id}`. */
  readonly path: `/${string}`
  /** The parameters in `path`. */
  readonly params?: Schema.Codec<unknown, unknown>
  readonly query?: Schema.Codec<unknown, unknown>
  readonly payload?: Schema.Codec<unknown, unknown> & { readonly fields: object }
  readonly success: {
    readonly status: number
    readonly schema: Schema.Codec<object, unknown>
    /** What the client needs of the response, if that is less than the description requires. */
    readonly needed?: Schema.Codec<object, unknown>
    /**
     * A list field whose entries are read one by one, so that an invalid entry does not affect the
     * others.
     */
    readonly entries?: {
      readonly field: string
      readonly schema: Schema.Codec<unknown, unknown>
    }
    /** If true, a body that does not say that something was accepted is an `InvalidResponse`. */
    readonly mustSucceed?: true
    /** If true, a body with the fields of an envelope is an `InvalidResponse`. */
    readonly hasNoEnvelope?: true
  }
  /** One class per documented error status. The class has the status and its title. */
  readonly errors: ReadonlyArray<DocumentedErrorClass>
}

const sendable = (value: string): string | undefined => {
  if (value === "") return "Expected a value that is not empty"
  // Percent-encoding does not change a dot segment, which would address another endpoint.
  if (value === "." || value === "..") return "Expected a value other than a dot segment"
  return value.isWellFormed() ? undefined : illFormed
}

/** Accepts every string that arrives unchanged after percent-encoding. */
const PathSegment = Schema.String.check(
  Schema.makeFilter(sendable, {
    expected: "a value that is not empty and not a dot segment",
    toJsonSchema: () => [{ minLength: 1 }, true]
  })
)

const errorsOfStatus = [
  InvalidRequest,
  AuthenticationFailed,
  InsufficientPermissions,
  NotFound,
  InternalServerError
] as const

/** Source: service description §4.1, POST /sms/send */
export const sendSms = {
  name: "sendSms",
  method: "POST",
  path: "/sms/send",
  payload: Schemas.SendSmsRequest,
  success: {
    status: acceptedStatus,
    schema: Schemas.SendSmsResponse,
    needed: Schemas.NeededSendSmsResponse,
    mustSucceed: true
  },
  errors: [
    InvalidRequest,
    AuthenticationFailed,
    PaymentRequired,
    InsufficientPermissions,
    NotFound,
    InternalServerError
  ]
} as const satisfies Endpoint

/** Source: service description §4.2, GET /sms/{message_id} */
export const getSmsStatus = {
  name: "getSmsStatus",
  method: "GET",
  path: "/sms/{message_id}",
  params: Schema.Struct({
    message_id: PathSegment.annotate({ description: "The unique identifier of the SMS message" })
  }),
  success: {
    status: 200,
    schema: Schemas.GetSmsStatusResponse,
    entries: { field: "data", schema: Schemas.SmsStatusRecord }
  },
  errors: errorsOfStatus
} as const satisfies Endpoint

/** Source: service description §4.3, GET /v1/airtime/{referencecode} */
export const getAirtimeStatus = {
  name: "getAirtimeStatus",
  method: "GET",
  path: "/v1/airtime/{referencecode}",
  params: Schema.Struct({
    referencecode: PathSegment.annotate({
      description: "The reference code of the airtime transaction"
    })
  }),
  success: {
    status: 200,
    schema: Schemas.GetAirtimeStatusResponse,
    entries: { field: "data", schema: Schemas.AirtimeStatusRecord }
  },
  errors: errorsOfStatus
} as const satisfies Endpoint

/** Source: service description §4.4, GET /v1/databundle/{referencecode} */
export const getDataBundleStatus = {
  name: "getDataBundleStatus",
  method: "GET",
  path: "/v1/databundle/{referencecode}",
  params: Schema.Struct({ referencecode: PathSegment }),
  success: { status: 200, schema: Schemas.GetDataBundleStatusResponse, hasNoEnvelope: true },
  errors: [InvalidRequest]
} as const satisfies Endpoint

/** Source: service description §4.5, GET /v1/list-bundles */
export const listDataBundles = {
  name: "listDataBundles",
  method: "GET",
  path: "/v1/list-bundles",
  query: Schemas.ListDataBundlesQuery,
  success: {
    status: 200,
    schema: Schemas.ListDataBundlesResponse,
    entries: { field: "category", schema: Schemas.DataBundle }
  },
  errors: [InvalidRequest]
} as const satisfies Endpoint

/** All of them, by name. */
export const endpoints = {
  sendSms,
  getSmsStatus,
  getAirtimeStatus,
  getDataBundleStatus,
  listDataBundles
} as const satisfies Readonly<Record<keyof Operations, Endpoint>>
