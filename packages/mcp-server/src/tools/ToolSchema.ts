/**
 * Effect schemas as the SDK wants them.
 *
 * Effect's own bridge converts a schema anew for every `tools/list` and allows unknown fields.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

type Json = Record<string, unknown>

const convert = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): Json => ({
  ...Schema.toJsonSchemaDocument(schema, { onExcessProperty, referencePolicy: () => undefined })
    .schema
})

/** Every conversation carries the list of tools, so what says nothing there only costs. */
const saysNothing = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === true) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (key === "required" && Array.isArray(value))

const lean = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(lean)
  if (!Predicate.isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !saysNothing(key, value))
      .map(([key, value]) => [key, lean(value)])
  )
}

const memoized = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

type Validate<T> = StandardSchemaWithJSON<unknown, T>["~standard"]["validate"]

const standard = <T>(
  make: () => Json,
  validate: Validate<T>
): StandardSchemaWithJSON<unknown, T> => {
  const json = memoized(make)
  return {
    "~standard": {
      version: 1,
      vendor: "messaging-topup",
      validate,
      jsonSchema: { input: json, output: json }
    }
  }
}

const asItIs: Validate<unknown> = (value) => ({ value })

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "UnexpectedKey"
      ? "there is no such argument"
      : SchemaIssue.defaultLeafHook(issue)
})

/** Every issue with its place, and without the value that caused it. */
const decoder = <T>(schema: Schema.Codec<T, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error", errors: "all" })
  return (value: unknown) => Result.mapError(decode(value), ({ issue }) => format(issue).issues)
}

const shownPath = /^\w{1,64}$/

/** A name that is not one of ours can be anything, so only a plain one is shown. */
const place = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> = []): string => {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return keys.every((key) => shownPath.test(key)) ? keys.join(".") : "(an unknown argument)"
}

const mostProblems = 10

/**
 * Arguments of a tool. The SDK gets the description only: its own refusal would say neither whether
 * something was sent nor that this is the sandbox. `decode` gives the problems in one text.
 */
export const ofArguments = <T>(schema: Schema.Codec<T, unknown>) => {
  const decode = decoder(schema)
  return {
    schema: standard(() => convert(schema, "error"), asItIs),
    decode: (value: unknown): Result.Result<T, string> =>
      Result.mapError(decode(value), (issues) => {
        const shown = issues.slice(0, mostProblems)
        const problems = shown.map(({ message, path }) => `${place(path)}: ${message}`)
        const more = issues.length - shown.length
        return [...problems, ...(more === 0 ? [] : [`and ${more} more`])].join("; ")
      })
  }
}

/** Arguments of a prompt, which the SDK checks. */
export const ofPrompt = <T>(
  schema: Schema.Codec<T, unknown>
): StandardSchemaWithJSON<unknown, T> => {
  const decode = decoder(schema)
  return standard(
    () => convert(schema, "error"),
    (value) =>
      Result.match(decode(value), {
        onSuccess: (decoded) => ({ value: decoded }),
        onFailure: (issues) => ({ issues })
      })
  )
}

const leanRecord = (schema: Schema.Constraint): Json => {
  const json = lean(convert(schema, "ignore"))
  return Predicate.isObject(json) ? { ...json } : {}
}

/**
 * Describes a result and never refuses one: the SDK checks after the handler ran, and would turn an
 * SMS that was sent into an error that invites a second send. It requires no field, so that a client
 * that checks does not refuse one either.
 */
export const ofResult = (schema: Schema.Constraint): StandardSchemaWithJSON =>
  standard(() => leanRecord(schema), asItIs)
