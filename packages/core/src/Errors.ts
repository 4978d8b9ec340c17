/**
 * The errors for programs with Effect, which yield them: `yield* new PaymentRequired({ operation: "sendSms" })` fails
 * with it. The promise client has the same classes without Effect, so this is added here.
 */
import * as Effect from "effect/Effect"
import { BaseError } from "./errors/Failure.ts"

declare module "./errors/Failure.ts" {
  interface Failure<Tag extends string = string> {
    /** Fails with this error. */
    readonly [Symbol.iterator]: () => Effect.EffectIterator<Effect.Effect<never, this>>
  }
}

Object.defineProperty(BaseError.prototype, Symbol.iterator, {
  value(this: BaseError) {
    return Effect.fail(this)[Symbol.iterator]()
  }
})

export {
  type ClientFailure,
  ConfigurationError,
  ConnectionFailed,
  ConnectionLost,
  InvalidInput,
  InvalidResponse,
  RequestTimedOut,
  UndocumentedStatus
} from "./errors/ClientFailures.ts"
export * from "./errors/DocumentedErrors.ts"
export { isSafeToResend } from "./errors/Failure.ts"
