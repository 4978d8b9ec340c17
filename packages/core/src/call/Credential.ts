/**
 * What a call needs of the access token: the headers that have it, and the removal of it from errors.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { TokenUnavailable } from "../errors/ClientFailures.ts"
import { type Keeper, makeKeeper } from "./DecodeResponse.ts"
import { RemainingMillis } from "./Send.ts"
import { checkToken, type Settings } from "./Settings.ts"
import { tokenRedaction } from "./TokenRedaction.ts"

type Headers = Readonly<Record<string, string>>

export interface Credential {
  readonly headers: Headers
  /** The headers of a request with a body. */
  readonly bodyHeaders: Headers
  readonly keeper: Keeper
}

/** A failure of the program can contain the token, so an error has only its name. */
export const nameOf = (failure: unknown): string => {
  const name =
    failure instanceof Error
      ? failure.name
      : Predicate.hasProperty(failure, "_tag")
        ? failure._tag
        : undefined
  return Predicate.isString(name) && /^[A-Za-z]\w{0,63}$/.test(name) ? name : typeof failure
}

type Use<A, E> = (credential: Credential) => Effect.Effect<A, E>

/** Returns a function that passes a call its credential. `operation` names the call in an error. */
export const credentials = ({ token }: Settings, ofTransport: Headers) => {
  let last: { readonly secret: string; readonly credential: Credential } | undefined

  /** Kept until the token changes. */
  const credentialOf = (redacted: Redacted.Redacted): Credential => {
    const secret = Redacted.value(redacted)
    if (last?.secret === secret) return last.credential
    const headers = {
      ...ofTransport,
      authorization: `Bearer ${secret}`,
      accept: "application/json"
    }
    const credential = {
      headers,
      bodyHeaders: { ...headers, "content-type": "application/json" },
      keeper: makeKeeper(tokenRedaction(secret))
    }
    last = { secret, credential }
    return credential
  }

  if (!Effect.isEffect(token)) {
    const credential = credentialOf(token)
    return <A, E>(_operation: string, use: Use<A, E>) => use(credential)
  }

  return <A, E>(operation: string, use: Use<A, E>): Effect.Effect<A, E | TokenUnavailable> => {
    const unavailable = (problem: string) =>
      Effect.fail(new TokenUnavailable({ problem, operation }))
    const read = Effect.matchCauseEffect(token, {
      onFailure: (cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.interrupt
          : unavailable(
              `the effect of the option token failed with ${nameOf(Cause.squash(cause))}`
            ),
      onSuccess: (given) => {
        const checked = checkToken(given)
        return Result.isSuccess(checked)
          ? Effect.succeed(credentialOf(checked.success))
          : unavailable(checked.failure.problem)
      }
    })
    return Effect.flatMap(RemainingMillis, (remaining) =>
      Effect.timeoutOrElse(read, {
        duration: remaining(),
        orElse: () => unavailable("the effect of the option token took too long")
      })
    ).pipe(Effect.flatMap(use))
  }
}
