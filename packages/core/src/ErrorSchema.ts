/** The errors of an operation as a schema, for what sends them elsewhere: a workflow, or an RPC. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Failures from "./errors/ClientFailures.ts"
import { type Failure, isFailure } from "./errors/Failure.ts"
import { endpoints } from "./operations/Endpoints.ts"
import type { Operations } from "./operations/Model.ts"

/** The class of an error, and the type of each field of its encoding. One with `?` may be missing. */
type Kind<E, Field extends PropertyKey = string> = readonly [
  make: new (given: never) => E,
  types: Readonly<Record<Field, `${"string" | "number" | "boolean"}${"" | "?"}`>>
]

/** The classes of a schema, by tag. */
export type Kinds<E extends Failure> = {
  readonly [Each in E as Each["_tag"]]: Kind<Each, Exclude<keyof Each, keyof Failure | "body">>
}

const clientFailures: Kinds<Failures.ClientFailure> = {
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
const Encoded = Schema.StructWithRest(Schema.Struct({ _tag: Schema.String }), [
  Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
])

/** An error in JSON. */
export type EncodedError = typeof Encoded.Encoded

/** Returns the schema of the errors of these classes, which are those of `name`. */
export const schemaOfErrors = <E extends Failure>(
  name: string,
  classes: Readonly<Record<string, Kind<E>>>,
  operation: "string" | "string?" = "string"
): Schema.Codec<E, EncodedError> => {
  const kinds = new Map(Object.entries(classes))
  const isError = (value: unknown): value is E => isFailure(value) && kinds.has(value._tag)
  const problemOf = (encoded: EncodedError): string | undefined => {
    const [, types] = kinds.get(encoded._tag) ?? []
    if (types === undefined) return `Expected the tag of an error of ${name}`
    const wrong = Object.entries({ operation, ...types }).find(([field, type]) =>
      encoded[field] === undefined ? !type.endsWith("?") : !type.startsWith(typeof encoded[field])
    )
    return wrong && `Expected ${wrong.join(": ")}`
  }
  const decode = ({ _tag, ...others }: EncodedError) => {
    const [make = Object, types = {}] = kinds.get(_tag) ?? []
    const fields = Object.entries(others).filter(
      ([field]) => field === "operation" || field in types
    )
    // The check before says that it is an error of these classes, with the fields of its own.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return new make(Object.fromEntries(fields) as never) as E
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
  return schemaOfErrors<Operations[Name]["error"]>(operation, {
    ...clientFailures,
    ...Object.fromEntries(documented)
  })
}
