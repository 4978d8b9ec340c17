/** Where the server listens over HTTP, and who may call it. */
import { bracketed, isLoopbackHost } from "@messaging-topup/core/internal"
import { localhostAllowedHostnames } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type Environment, UsageError } from "@messaging-topup/command"
import { badOption, type Given, keysVariable, type Name, readVariable } from "../Options.ts"
import type { Credentials } from "../serve/http/Authenticator.ts"
import type { Listening } from "../serve/http/HttpServer.ts"
import * as Keys from "../serve/http/Keys.ts"
import { type OAuthSettings, secureUrl } from "../serve/http/OAuth.ts"

/** Without credentials, every caller is accepted. */
export interface HttpSettings extends Listening {
  readonly credentials: Credentials | undefined
}

const readKeys = Effect.fnUntraced(function* (environment: Environment) {
  const read = yield* readVariable(environment, keysVariable)
  if (read === undefined) return undefined
  return yield* Effect.mapError(
    Effect.fromResult(Keys.parse(read.text)),
    (problem) => new UsageError({ problem: `${read.source}: ${problem}` })
  )
})

const secure = (name: Name, text: string): Effect.Effect<string, UsageError> =>
  secureUrl(text) === undefined || /[?#]/.test(text)
    ? Effect.fail(
        badOption(
          name,
          "give an absolute https URL (http on loopback only) without user name, query and fragment"
        )
      )
    : Effect.succeed(text)

const readOAuth = Effect.fnUntraced(function* (given: Given, publicUrl: URL | undefined) {
  const issuer = yield* given.value("oauth-issuer")
  const audience = yield* given.value("oauth-audience")
  if (issuer === undefined) {
    return audience === undefined
      ? undefined
      : yield* badOption(
          "oauth-issuer",
          "name the authorization server, or leave out --oauth-audience"
        )
  }
  if (publicUrl === undefined) {
    return yield* badOption("public-url", "OAuth needs the address that clients use")
  }
  if (audience?.trim() === "") {
    return yield* badOption(
      "oauth-audience",
      "name the audience that the issuer puts into `aud` of the tokens for this server"
    )
  }
  const resource = yield* secure("public-url", publicUrl.toString())
  const settings: OAuthSettings = {
    issuer: yield* secure("oauth-issuer", issuer),
    audience: audience ?? resource,
    resource
  }
  return settings
})

const unspecified = new Set(["0.0.0.0", "::"])

export const read = Effect.fnUntraced(function* (
  given: Given,
  environment: Environment
): Effect.fn.Return<HttpSettings, UsageError> {
  const host = yield* given.value("host")
  const isLocal = isLoopbackHost(host)
  const publicUrl = yield* given.value("public-url")
  const known: Required<Credentials> = {
    keys: yield* readKeys(environment),
    oauth: yield* readOAuth(given, publicUrl)
  }
  const credentials = Object.values(known).some(Predicate.isNotUndefined) ? known : undefined
  const allowedHosts = yield* given.value("allowed-hosts")
  if (credentials === undefined) {
    // A proxy on this machine passes on what other machines ask by these names.
    const reached = [
      ["host", host],
      ["public-url", publicUrl?.hostname ?? host],
      ...(allowedHosts ?? []).map((name) => ["allowed-hosts", name] as const)
    ] as const
    const open = reached.find(([, name]) => !isLoopbackHost(name))
    if (open !== undefined) {
      return yield* badOption(
        open[0],
        `other machines could reach this server, and every caller would be accepted. Give bearer keys in ${keysVariable}, or in the file that ${keysVariable}_FILE names, or an authorization server with --oauth-issuer, or name only this machine.`
      )
    }
  }
  const names = [
    ...(unspecified.has(host) ? [] : [bracketed(host)]),
    ...(publicUrl === undefined ? [] : [publicUrl.hostname])
  ]
  if (allowedHosts === undefined && !isLocal && publicUrl === undefined) {
    return yield* badOption(
      "allowed-hosts",
      "name the hosts that requests may be addressed to, or give --public-url"
    )
  }
  return {
    host,
    port: yield* given.value("port"),
    allowedHosts: allowedHosts ?? [...localhostAllowedHostnames(), ...names],
    credentials
  }
})
