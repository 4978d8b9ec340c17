/** The errors of an operation as a schema, for what sends them elsewhere: a workflow, or an RPC. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Failures from "./errors/ClientFailures.ts"
import { isFailure } from "./errors/Failure.ts"
import {
  getAirtimeStatus,
  getDataBundleStatus,
  getSmsStatus,
  listDataBundles,
  sendSms
} from "./operations/Endpoints.ts"
import type { Operations } from "./operations/Model.ts"

const endpoints = { sendSms, getSmsStatus, getAirtimeStatus, getDataBundleStatus, listDataBundles }

const clientFailures = [
  Failures.InvalidInput,
  Failures.ConnectionFailed,
  Failures.ConnectionLost,
  Failures.RequestTimedOut,
  Failures.UndocumentedStatus,
  Failures.InvalidResponse
]

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
  const all = [...endpoints[operation].errors, ...clientFailures]
  const classes = new Map<string, (typeof all)[number]>(all.map((each) => [each.tag, each]))
  const isError = (value: unknown): value is Operations[Name]["error"] =>
    isFailure(value) && classes.has(value._tag)
  const hasItsFields = (encoded: EncodedError): string | undefined => {
    const { fields } = classes.get(encoded._tag) ?? {}
    if (fields === undefined) return `Expected the tag of an error of ${operation}`
    const wrong = Object.keys(fields).find((name) => fields[name]?.(encoded[name]) === false)
    return wrong === undefined ? undefined : `Expected another ${wrong}`
  }
  const decode = ({
    _tag,
    operation: name,
    ...others
  }: EncodedError): Operations[Name]["error"] => {
    const known = classes.get(_tag)
    const fields = Object.entries(others).filter(([field]) => field in (known?.fields ?? {}))
    const given: object = { operation: name, ...Object.fromEntries(fields) }
    // The check before says that it is an error of this operation, and has the fields of its class.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (known && new known(given as never)) as Operations[Name]["error"]
  }
  return Encoded.check(Schema.makeFilter(hasItsFields)).pipe(
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
