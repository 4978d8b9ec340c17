/**
 * The documented errors as the service writes them: the bare error body, under the status of the class.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { ErrorBody } from "../errors/ErrorBody.ts"

interface ErrorClass<E extends ErrorBody> extends Schema.Codec<E, unknown> {
  readonly status: number
  new (body: ErrorBody): E
}

const one = <E extends ErrorBody>(error: ErrorClass<E>) =>
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

type OnWire<Errors extends ReadonlyArray<ErrorClass<ErrorBody>>> = {
  readonly [Index in keyof Errors]: Schema.Codec<InstanceType<Errors[Index]>, ErrorBody>
}

export const onWire = <const Errors extends ReadonlyArray<ErrorClass<ErrorBody>>>(
  errors: Errors
): OnWire<Errors> =>
  // `map` forgets that a tuple stays one.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  errors.map(one) as unknown as OnWire<Errors>
