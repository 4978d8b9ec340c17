import { afterAll, describe, expect, it } from "@effect/vitest"
import { sendOutcome, SendSmsError } from "@messaging-topup/core"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import {
  clientFailures,
  contract,
  errorTags,
  type OperationName,
  operationNames
} from "../support/Contract.ts"
import { unions } from "../support/ErrorUnions.ts"
import type { DecodedError, EncodedError } from "../support/ErrorWorker.ts"
import { runs } from "../support/Runs.ts"

type AnyError = (typeof unions)[OperationName]["Type"]

const isMinusZero = (value: unknown) => Object.is(value, -0)

/** Errors of the operation, with every class at least once. */
const errorsOf = (name: OperationName): Effect.Effect<ReadonlyArray<AnyError>> =>
  Arbitrary.sampleEffect(Arbitrary.schema(unions[name]), { count: runs(2_000), seed: name }).pipe(
    Effect.orDie,
    // JSON has one zero.
    Effect.map((errors) => errors.filter((error) => !Object.values(error).some(isMinusZero))),
    Effect.tap((errors) => {
      const expected = [
        ...clientFailures,
        ...contract[name].errors.map((status) => errorTags[status])
      ]
      return Effect.sync(() =>
        expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(expected))
      )
    })
  )

const outcomeOf = (error: unknown) =>
  Schema.is(SendSmsError)(error) ? sendOutcome(error) : undefined

/** Everything that a program can read of an error. */
const propertiesOf = (error: AnyError) => ({
  className: error.constructor,
  fields: { ...error },
  hidden: ["error", "success", "body"].map((key) => Reflect.get(error, key)),
  message: error.message,
  outcome: outcomeOf(error)
})

const expectSame = (after: ReadonlyArray<unknown>, before: ReadonlyArray<AnyError>) => {
  expect(after).toHaveLength(before.length)
  for (const [index, error] of before.entries()) {
    const other = after[index]
    expect(other).toBeInstanceOf(error.constructor)
    expect(propertiesOf(other as AnyError)).toEqual(propertiesOf(error))
  }
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const worker = new Worker(new URL("../support/ErrorWorker.ts", import.meta.url))

afterAll(() => worker.terminate())

describe.for(operationNames)("every error of %s stays the same through", (name) => {
  const union: Schema.Codec<AnyError, unknown> = unions[name]

  it.effect("its schema and JSON", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const decode = Schema.decodeUnknownSync(union)
      const encode = Schema.encodeUnknownSync(union)
      expectSame(
        errors.map((error) => decode(throughJson(encode(error)))),
        errors
      )
    })
  )

  it.effect("a program's schema with the errors in another order", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const reversed = Schema.Union(unions[name].members.toReversed())
      const decode = Schema.decodeUnknownSync(reversed)
      const encode = Schema.encodeUnknownSync(reversed)
      expectSame(
        errors.map((error) => decode(throughJson(encode(error)))),
        errors
      )
    })
  )

  it.effect("Schema.Exit, which workflows and clusters write", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const codec = Schema.toCodecJson(Schema.Exit(Schema.Void, union, Schema.Defect()))
      const decode = Schema.decodeUnknownSync(codec)
      const encode = Schema.encodeUnknownSync(codec)
      const after = errors.map((error) => {
        const exit = decode(throughJson(encode(Exit.fail(error))))
        return Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit
      })
      expectSame(after, errors)
    })
  )

  it.live("a program's own HttpApi", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const Own = HttpApi.make("own").add(
        HttpApiGroup.make("own", { topLevel: true }).add(
          HttpApiEndpoint.get("fails", "/fails/:index", {
            params: { index: Schema.NumberFromString },
            success: Schema.Void,
            error: union
          })
        )
      )
      const handlers = HttpApiBuilder.group(Own, "own", (group) =>
        group.handle("fails", ({ params }) => {
          const error = errors[params.index]
          return error === undefined ? Effect.die("no such error") : Effect.fail(error)
        })
      )
      const { dispose, handler } = HttpRouter.toWebHandler(
        HttpApiBuilder.layer(Own).pipe(
          Layer.provide(handlers),
          Layer.provide(HttpServer.layerServices)
        ),
        { disableLogger: true }
      )
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const client = yield* HttpApiClient.make(Own, { baseUrl: "http://own.invalid" }).pipe(
        Effect.provide(FetchHttpClient.layer)
      )
      const served: typeof fetch = (input, init) => handler(new Request(input, init))
      const after = yield* Effect.forEach(errors, (_, index) =>
        Effect.flip(client.fails({ params: { index } }))
      ).pipe(Effect.provideService(FetchHttpClient.Fetch, served))
      expectSame(after, errors)
    })
  )

  it.live("a worker thread, which gets the same outcome", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const encode = Schema.encodeUnknownSync(union)
      const encodedErrors = errors.map((error): EncodedError => ({ name, encoded: encode(error) }))
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(encodedErrors)
      const [decodedErrors]: ReadonlyArray<ReadonlyArray<DecodedError>> = yield* Effect.promise(
        () => once(worker, "message")
      )
      const decode = Schema.decodeUnknownSync(union)
      expectSame(decodedErrors?.map(({ encoded }) => decode(encoded)) ?? [], errors)
      expect(decodedErrors?.map(({ className, outcome }) => [className, outcome])).toEqual(
        errors.map((error) => [error.constructor.name, outcomeOf(error)])
      )
    })
  )
})
