/**
 * The faces of a sandbox, each as a layer of `Sandbox`: one list of behaviours runs on all of them.
 * Each refuses invalid input as a defect, whose message says what is wrong.
 */
import { it } from "@effect/vitest"
import { Transport } from "@messaging-topup/core"
import {
  type Kept,
  ListenFailed,
  Sandbox,
  type SandboxOptions,
  UnknownMessage
} from "@messaging-topup/sandbox"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import {
  ask,
  type Body,
  Caller,
  CallFailed,
  type ReadResponse,
  requestPage,
  tell
} from "./Client.ts"

type Face = (options?: SandboxOptions) => Layer.Layer<Sandbox, ListenFailed>

/** The handle of `startSandbox`. */
const handle: Face = ({ token: own, ...options } = {}) =>
  Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const token = own === undefined ? undefined : Redacted.value(own)
      const sandbox = yield* Effect.acquireRelease(
        Effect.promise(() => startSandbox({ ...options, token })).pipe(
          Effect.catchDefect((error) =>
            error instanceof ListenFailed ? Effect.fail(error) : Effect.die(error)
          )
        ),
        ({ close }) => Effect.promise(close)
      )
      return Sandbox.of({
        baseUrl: sandbox.baseUrl,
        token: Redacted.make(sandbox.token),
        messages: (filter) => Effect.promise(() => sandbox.messages(filter)),
        requests: () => Effect.promise(sandbox.requests),
        until: (ready) => Effect.promise(() => sandbox.until(ready)),
        setStatus: (messageId, status) =>
          Effect.promise(() => sandbox.setStatus(messageId, status)).pipe(
            Effect.catchDefect((error) =>
              error instanceof UnknownMessage ? Effect.fail(error) : Effect.die(error)
            )
          ),
        setFault: (fault) => Effect.promise(() => sandbox.setFault(fault)),
        clearFault: Effect.promise(sandbox.clearFault),
        reset: Effect.promise(sandbox.reset)
      })
    })
  )

const accepted = ({ body, status }: ReadResponse) =>
  status < 400 ? Effect.succeed(body) : Effect.die(new Error(JSON.parse(body).error.detail))

/** The control endpoints, and nothing else. */
const control: Face = (options) =>
  Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const { baseUrl, token } = sandbox
      const here = <A>(effect: Effect.Effect<A, CallFailed, Sandbox>) =>
        Effect.orDie(Effect.provideService(effect, Sandbox, sandbox))
      const done = (effect: Effect.Effect<ReadResponse, CallFailed, Sandbox>) =>
        Effect.asVoid(here(Effect.flatMap(effect, accepted)))
      const messages = (filter = {}) =>
        here(
          Effect.flatMap(
            ask(`/messages?${new URLSearchParams({ limit: "1000", ...filter })}`),
            accepted
          )
        ).pipe(Effect.map((body) => JSON.parse(body).messages))
      const requests = () => here(Effect.map(requestPage("?limit=1000"), (page) => page.requests))
      const until = (ready: (kept: Kept) => boolean, version = 0): Effect.Effect<Kept> =>
        Effect.gen(function* () {
          const changed = yield* here(ask(`/changes?after=${version}`))
          const kept = { messages: yield* messages(), requests: yield* requests() }
          return ready(kept) ? kept : yield* until(ready, JSON.parse(changed.body).version)
        })
      return Sandbox.of({
        baseUrl,
        token,
        messages,
        requests,
        until: (ready) => until(ready),
        setStatus: (messageId, status) =>
          Effect.flatMap(
            here(tell("POST", `/messages/${messageId}/status`, { status })),
            (response) =>
              response.status === 404
                ? Effect.fail(new UnknownMessage({ message_id: messageId }))
                : Effect.map(accepted(response), (body) => JSON.parse(body))
          ),
        setFault: (fault) => done(tell("PUT", "/fault", fault)),
        clearFault: done(ask("/fault", { method: "DELETE" })),
        reset: done(ask("", { method: "DELETE" }))
      })
    })
  ).pipe(Layer.provide(Sandbox.layer(options)))

/** Without sockets. */
const inProcess: Face = (options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const context = yield* Layer.build(Sandbox.layerInProcess(options))
      const transport = Context.get(context, Transport)
      return Context.add(context, Caller, ({ baseUrl, body, headers, method, path }) =>
        transport
          .send(
            { method: method === "POST" ? method : "GET", origin: baseUrl, path, headers, body },
            {
              operation: "test",
              timeoutMillis: 60_000,
              maxBodyBytes: 1e6,
              needsRest: () => true,
              onStart: () => true,
              onHead: () => {}
            }
          )
          .pipe(
            Effect.map((received) => ({
              ...received,
              body: new TextDecoder().decode(received.body.bytes)
            })),
            Effect.mapError(
              (error) =>
                new CallFailed({
                  reason: error.message,
                  code: "code" in error ? error.code : undefined
                })
            )
          )
      )
    })
  )

/** The faces that start a server with options. */
export const servers: Readonly<Record<string, Face>> = {
  Sandbox: Sandbox.layer,
  startSandbox: handle
}

const faces: Readonly<Record<string, Face>> = {
  ...servers,
  "over HTTP": control,
  "in process": inProcess
}

/** A behaviour of every face. */
export const behaviour = (title: string, body: Body, options?: SandboxOptions): void => {
  for (const [name, face] of Object.entries(faces)) {
    it.live(`${title}: ${name}`, () => Effect.provide(Effect.gen(body), face(options)))
  }
}
