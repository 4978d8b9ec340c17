/** The errors of an operation as a schema, for what sends them elsewhere: a workflow, or an RPC. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import {
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  InvalidResponse,
  RequestTimedOut,
  UndocumentedStatus
} from "./errors/ClientFailures.ts"
import type { DocumentedErrorClass, OperationError } from "./errors/DocumentedErrors.ts"
import {
  getAirtimeStatus,
  getDataBundleStatus,
  getSmsStatus,
  listDataBundles,
  sendSms
} from "./operations/Endpoints.ts"
import type { Operations } from "./operations/Model.ts"

/** What stands in a decoded error for what no rendering shows, and so not its encoding either. */
const body = "(not shown)"

const codec = <Fields extends object, E extends Fields>(
  error: abstract new (...args: never) => E,
  fields: Schema.Codec<Fields, unknown>,
  make: (fields: Fields) => E
): Schema.Codec<E, unknown> =>
  fields.pipe(
    Schema.decodeTo(
      Schema.declare((value): value is E => value instanceof error),
      SchemaTransformation.transform<E, Fields>({ decode: make, encode: (value) => value })
    )
  )

const struct = <const Tag extends string, const Fields extends Schema.Struct.Fields>(
  tag: Tag,
  fields: Fields
) => Schema.Struct({ _tag: Schema.Literal(tag), operation: Schema.String, ...fields })

const code = Schema.optionalKey(Schema.String)
const status = Schema.optionalKey(Schema.Int)

const clientFailures: ReadonlyArray<Schema.Codec<OperationError, unknown>> = [
  codec(
    InvalidInput,
    struct("InvalidInput", { field: Schema.String, problem: Schema.String }),
    (fields) => new InvalidInput(fields)
  ),
  codec(
    ConnectionFailed,
    struct("ConnectionFailed", { code }),
    (fields) => new ConnectionFailed(fields)
  ),
  codec(
    ConnectionLost,
    struct("ConnectionLost", { code, status }),
    (fields) => new ConnectionLost(fields)
  ),
  codec(
    RequestTimedOut,
    struct("RequestTimedOut", { timeoutMillis: Schema.Finite, started: Schema.Boolean, status }),
    (fields) => new RequestTimedOut(fields)
  ),
  codec(
    UndocumentedStatus,
    struct("UndocumentedStatus", {
      status: Schema.Int,
      retryAfterSeconds: Schema.optionalKey(Schema.Finite)
    }),
    (fields) => new UndocumentedStatus({ ...fields, body })
  ),
  codec(
    InvalidResponse,
    struct("InvalidResponse", {
      status: Schema.Int,
      problem: Schema.String,
      isAccepted: Schema.optionalKey(Schema.Literal(true))
    }),
    (fields) => new InvalidResponse({ ...fields, body })
  )
]

const documented = (error: DocumentedErrorClass): Schema.Codec<OperationError, unknown> =>
  codec<{ readonly operation: string }, InstanceType<DocumentedErrorClass>>(
    error,
    struct(error.tag, {}),
    ({ operation }) => new error({ operation })
  )

const endpoints: Readonly<
  Record<keyof Operations, { readonly errors: ReadonlyArray<DocumentedErrorClass> }>
> = { sendSms, getSmsStatus, getAirtimeStatus, getDataBundleStatus, listDataBundles }

/**
 * Returns the schema of the errors of an operation: `errorSchema("sendSms")`. An encoded error, or one that
 * went through `JSON.stringify`, decodes to an instance of the same class, with the same outcome. What the
 * service wrote is not encoded.
 */
export const errorSchema = <Name extends keyof Operations>(
  operation: Name
): Schema.Codec<Operations[Name]["error"], unknown> =>
  // The endpoint declares the errors of its operation.
  Schema.Union([...endpoints[operation].errors.map(documented), ...clientFailures])
