/** The errors of an operation as a schema, for what sends them elsewhere: a workflow, or an RPC. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Failures from "./errors/ClientFailures.ts"
import type { OperationError } from "./errors/DocumentedErrors.ts"
import { type Failure, isFailure } from "./errors/Failure.ts"
import { endpoints } from "./operations/Endpoints.ts"
import type { Operations } from "./operations/Model.ts"

/** The class of an error, and the type of each field of its encoding. One with `?` may be missing. */
type Kind<E, Field extends PropertyKey = string> = readonly [
  make: new (given: never) => E,
  types: Readonly<Record<Field, `${"string" | "number" | "boolean"}${"" | "?"}`>>
]

const clientFailures: {
  readonly [E in Failures.ClientFailure as E["_tag"]]: Kind<
    E,
    Exclude<keyof E, keyof Failure | "body">
  >
} = {
  InvalidInput: [Failures.InvalidInput, { field: "string", problem: "string" }],
  ConnectionFailed: [Failures.ConnectionFailed, { code: "string?" }],
  ConnectionLost: [Failures.ConnectionLost, { code: "string?", status: "number?" }],
  RequestTimedOut: [
    Failures.RequestTimedOut,
    { timeoutMillis: "number", started: "boolean", status: "number?" }
  ],
  UndocumentedStatus: [
    Failures.UndocumentedStatus,
    { status: "number", retryAfterSeconds: "number?" }
  ],
  InvalidResponse: [
    Failures.InvalidResponse,
    { status: "number", problem: "string", isAccepted: "boolean?" }
  ]
}

/** An error in JSON, without what no rendering shows. */
const Encoded = Schema.StructWithRest(
  Schema.Struct({ _tag: Schema.String, operation: Schema.String }),
  [Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))]
)

/** An error of an operation in JSON. */
export type EncodedError = typeof Encoded.Encoded

/**
 * Returns the schema of the errors of an operation: `errorSchema("sendSms")`. An encoded error, or one that
 * went through `JSON.stringify`, decodes to an instance of the same class, with the same outcome. What the
 * service wrote is not encoded.
 */
export const errorSchema = <Name extends keyof Operations>(
  operation: Name
): Schema.Codec<Operations[Name]["error"], EncodedError> => {
  // A documented error has only what its tag says.
  const documented = endpoints[operation].errors.map((each) => [each.tag, [each, {}]] as const)
  const kinds = new Map<string, Kind<OperationError>>([
    ...Object.entries(clientFailures),
    ...documented
  ])
  const isError = (value: unknown): value is Operations[Name]["error"] =>
    isFailure(value) && kinds.has(value._tag)
  const problemOf = (encoded: EncodedError): string | undefined => {
    const [, types] = kinds.get(encoded._tag) ?? []
    if (types === undefined) return `Expected the tag of an error of ${operation}`
    const wrong = Object.entries(types).find(([name, type]) =>
      encoded[name] === undefined ? !type.endsWith("?") : !type.startsWith(typeof encoded[name])
    )
    return wrong && `Expected ${wrong.join(": ")}`
  }
  const decode = ({ _tag, operation: name, ...others }: EncodedError) => {
    const [make = Object, types = {}] = kinds.get(_tag) ?? []
    const fields = Object.entries(others).filter(([field]) => field in types)
    const given: object = { operation: name, ...Object.fromEntries(fields) }
    // The check before says that it is an error of this operation, with the fields of its class.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return new make(given as never) as Operations[Name]["error"]
  }
  return Encoded.check(Schema.makeFilter(problemOf)).pipe(
    Schema.decodeTo(
      Schema.declare(isError),
      SchemaTransformation.transform({
        decode,
        // Its fields are texts, numbers and flags.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        encode: (error) => error.toJSON() as EncodedError
      })
    )
  )
}
