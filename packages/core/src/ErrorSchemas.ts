/**
 * Encodes the documented errors as the service does: only the error body, with the HTTP status of
 * the class.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { ErrorBody } from "./errors/ErrorBody.ts"

interface ErrorClass<E extends ErrorBody> extends Schema.Codec<E, unknown> {
  readonly status: number
  new (body: ErrorBody): E
}

const errorSchema = <E extends ErrorBody>(error: ErrorClass<E>) =>
  ErrorBody.pipe(
    Schema.decodeTo(
      Schema.toType(error),
      SchemaTransformation.transform<E, ErrorBody>({
        decode: (body) => new error(body),
        encode: ({ error: detail, success }) => ({
          ...(success === undefined ? {} : { success }),
          error: detail
        })
      })
    )
  ).annotate({ httpApiStatus: error.status })

type ErrorSchemas<Errors extends ReadonlyArray<ErrorClass<ErrorBody>>> = {
  readonly [Index in keyof Errors]: Schema.Codec<InstanceType<Errors[Index]>, ErrorBody>
}

export const errorSchemas = <const Errors extends ReadonlyArray<ErrorClass<ErrorBody>>>(
  errors: Errors
): ErrorSchemas<Errors> =>
  // The type of `map` does not keep a tuple.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  errors.map(errorSchema) as unknown as ErrorSchemas<Errors>
