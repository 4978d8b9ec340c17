/** The defaults and checks of the options of both clients, and how a bag of options is checked. */
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigurationError } from "../errors/ClientFailures.ts"
import { notSet } from "../errors/Failure.ts"
import { baseUrl, type Checked } from "./BaseUrl.ts"
import type { ServiceOptions } from "./Options.ts"

export interface Option<A> {
  /** Gets any value, because a script without types can pass anything. */
  readonly check: (value: unknown) => Checked<A>
  /** For an option that is not given. Without it, the option is required. */
  readonly default?: A
}

export type Table = Readonly<Record<string, Option<unknown>>>

export type Values<T extends Table> = {
  readonly [Name in keyof T]: T[Name] extends Option<infer A> ? A : never
}

/** An error repeats an unknown option only if it looks like a name. */
const plainName = /^[A-Za-z]\w{0,40}$/

const wrong = (setting: string, problem: string) =>
  Result.fail(new ConfigurationError({ setting, problem }))

/** Checks a bag of options, which an error calls `bag` where it has no option to name. */
export const checkOptions = <T extends Table>(
  table: T,
  given: unknown,
  bag = "options"
): Result.Result<Values<T>, ConfigurationError> => {
  const names = Object.keys(table)
  const listed = `the options are ${names.join(", ")}`
  if (!Predicate.isObject(given)) return wrong(bag, `give an object; ${listed}`)
  // Without this check, a misspelled option would be ignored.
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    return wrong(plainName.test(unknown) ? unknown : bag, `there is no such option; ${listed}`)
  }
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) {
    const value: unknown = Reflect.get(given, name)
    // What is null was to have a value, and the default may be the opposite of it.
    if (value === undefined && "default" in option) {
      values[name] = option.default
      continue
    }
    const checked = option.check(value)
    if (Result.isFailure(checked)) return wrong(name, checked.failure)
    values[name] = checked.success
  }
  // Each value comes from the check of its name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Result.succeed(values as Values<T>)
}

/** Longer than any token, and a header of this length still arrives. */
const maxTokenLength = 8192

/** Allows the characters that a header allows in one credential (RFC 9110 §5.5, RFC 6750 §2.1). */
export const secret = (value: unknown): Checked<Redacted.Redacted> => {
  if (value === undefined || value === "") {
    return Result.fail(`${notSet}: give the access token`)
  }
  return Predicate.isString(value) &&
    /^[\u0021-\u007e]+$/.test(value) &&
    value.length <= maxTokenLength
    ? Result.succeed(Redacted.make(value))
    : Result.fail(
        `give the access token as it was issued: printable ASCII only, no spaces, line breaks or control characters, at most ${maxTokenLength}`
      )
}

const redactedSecret = (value: unknown): Checked<Redacted.Redacted> => {
  if (value !== undefined && !Redacted.isRedacted(value)) {
    return Result.fail("wrap it with Redacted.make")
  }
  // `Redacted.value` throws for a token that was wiped.
  return secret(
    Result.getOrElse(
      Result.try((): unknown => value && Redacted.value(value)),
      () => null
    )
  )
}

/** A duration in milliseconds; not a number for what is no duration. */
export const millisOf = (value: unknown): number =>
  Result.getOrElse(
    // It throws for what is no duration.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    Result.try(() => Duration.toMillis(Duration.fromInputUnsafe(value as never))),
    () => Number.NaN
  )

const timeoutMillis = (value: unknown): Checked<number> => {
  const millis = millisOf(value)
  return millis > 0 && millis < Infinity
    ? Result.succeed(millis)
    : Result.fail(
        "give a positive, finite duration with its unit, such as 30 seconds: only in code, a number is in milliseconds"
      )
}

const count =
  (minimum: number) =>
  (value: unknown): Checked<number> =>
    Predicate.isNumber(value) && Number.isSafeInteger(value) && value >= minimum
      ? Result.succeed(value)
      : Result.fail(`give a whole number of at least ${minimum}`)

export const flag = (value: unknown): Checked<boolean> =>
  Predicate.isBoolean(value) ? Result.succeed(value) : Result.fail("give true or false")

/** Allows one or more products in the header (RFC 9110 §10.1.5). */
const products = (value: unknown): Checked<string | undefined> =>
  Predicate.isString(value) && /^[\u0021-\u007e]+( [\u0021-\u007e]+)*$/.test(value)
    ? Result.succeed(value)
    : Result.fail("give printable ASCII, such as my-app/1.0")

/** The options of a service. */
export const serviceOptions = {
  baseUrl: { check: baseUrl },
  token: { check: redactedSecret },
  timeout: { check: timeoutMillis, default: 30_000 },
  readRetries: { check: count(0), default: 2 },
  maxBodyBytes: { check: count(1), default: 10 * 1024 * 1024 },
  allowInsecureHttp: { check: flag, default: false }
} satisfies Readonly<Record<keyof ServiceOptions<never, never>, Option<unknown>>>

/** A bundle of core over `fetch` leaves this out. */
export const connectionOptions = {
  connections: { check: /* @__PURE__ */ count(1), default: 100 },
  userAgent: { check: products, default: undefined }
}

/** The options of a service, checked. The time-out is in milliseconds. */
export type Settings = Values<typeof serviceOptions>
