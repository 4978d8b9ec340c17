/**
 * Starts a sandbox in this process, for tests with promises.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { ActiveFault } from "../faults/FaultSchema.ts"
import { schemaProblem } from "../http/SchemaErrors.ts"
import { MessageFilter } from "../record/Schemas.ts"
import * as RunSandbox from "../server/RunSandbox.ts"
import type { SandboxHandle, StartSandboxOptions } from "./Types.ts"

export type * from "./Types.ts"

/** A script without types can pass anything. */
class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))

const OptionsSchema = Schema.Struct({
  port: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))),
  host: Schema.optionalKey(Schema.NonEmptyString),
  token: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII characters" })
    )
  ),
  maxMessages: count,
  maxRequests: count
})

/** A field that is `undefined` counts as absent. */
const withoutUndefined = (given: unknown): unknown =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given

/** Rejects unknown fields: a misspelt field would have no effect. */
const checked = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })
  return (given: unknown) =>
    Effect.mapError(
      decode(withoutUndefined(given)),
      ({ issue }) => new InvalidInput({ problem: schemaProblem(issue) })
    )
}

const checkOptions = checked(OptionsSchema)
const checkFilter = checked(MessageFilter)
const checkFault = checked(ActiveFault)
const checkStatus = checked(
  Schema.Struct({ messageId: Schema.String, status: Schema.NonEmptyString })
)

/** Throws the failure with the stack of the caller: an effect runs on its own stack. */
// @effect-diagnostics-next-line asyncFunction:off -- only `await` leaves the caller on the stack
const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.squash(exit.cause)
  if (failure instanceof Error) Error.captureStackTrace?.(failure, run)
  throw failure
}

const start = Effect.fnUntraced(function* (given: unknown) {
  const { token, ...others } = yield* checkOptions(given)
  const scope = yield* Scope.make()
  const { service, stored } = yield* RunSandbox.onServer({
    ...others,
    ...(token === undefined ? {} : { token: Redacted.make(token) })
  }).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  const { baseUrl, clearFault, messages, reset, setFault, setStatus } = service
  const close = () => run(Scope.close(scope, Exit.void))

  const handle: SandboxHandle = {
    baseUrl,
    token: Redacted.value(service.token),
    messages: (filter = {}) => run(Effect.flatMap(checkFilter(filter), messages)),
    requests: () => run(stored.requests),
    setFault: (fault) => run(Effect.flatMap(checkFault(fault), (valid) => setFault(valid))),
    clearFault: () => run(clearFault),
    setStatus: (messageId, status) =>
      run(
        Effect.flatMap(checkStatus({ messageId, status }), (valid) =>
          setStatus(valid.messageId, valid.status)
        )
      ),
    reset: () => run(reset),
    close,
    [Symbol.asyncDispose]: close
  }
  return handle
})

/**
 * Starts a sandbox on a real port. Rejects with `SandboxError`.
 *
 * @since 0.1.0
 */
export const startSandbox = (options: StartSandboxOptions = {}): Promise<SandboxHandle> =>
  run(start(options))
