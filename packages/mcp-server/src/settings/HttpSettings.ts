/**
 * Where the server listens over HTTP, and who may call it.
 */
import { isLoopbackHost } from "@messaging-topup/core/internal"
import { localhostAllowedHostnames } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { OAuthSettings } from "../serve/http/auth/OAuth.ts"
import { secureUrl } from "../serve/http/auth/SecureUrl.ts"
import * as StaticKeys from "../serve/http/auth/StaticKeys.ts"
import { type Environment, UsageError } from "@messaging-topup/sandbox/command-line"
import {
  badOption,
  bothNames,
  type Given,
  groups,
  keysVariable,
  type Name,
  names
} from "../Options.ts"
import * as OptionValues from "./OptionValues.ts"

const keysText = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  const path = yield* given.value("bearer-keys-file")
  const inline = environment[keysVariable] || undefined
  if (path === undefined) {
    return inline === undefined ? undefined : { source: keysVariable, text: inline }
  }
  // With both, it would be unclear which one applies.
  if (inline !== undefined) {
    return yield* badOption("bearer-keys-file", `leave it out, or leave out ${keysVariable}`)
  }
  const source = bothNames("bearer-keys-file")
  return { source, text: yield* OptionValues.fileText(source, path) }
})

const readKeys = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  const found = yield* keysText(given, environment)
  if (found === undefined) return undefined
  return yield* Effect.fromResult(
    Result.mapError(
      StaticKeys.parseKeys(Redacted.make(found.text)),
      (problem) => new UsageError({ problem: `${found.source}: ${problem}` })
    )
  )
})

const readPublicUrl = Effect.fnUntraced(function* (given: Given) {
  const text = yield* given.value("public-url")
  if (text === undefined) return undefined
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === ""
    ? url
    : yield* badOption("public-url", "give a URL that starts with https:// or http://")
})

const secure = (name: Name, text: string): Effect.Effect<string, UsageError> =>
  secureUrl(text) === undefined
    ? Effect.fail(
        badOption(name, "give an absolute https URL without user name (http on loopback only)")
      )
    : Effect.succeed(text)

const secureWithoutQuery = (name: Name, text: string): Effect.Effect<string, UsageError> =>
  /[?#]/.test(text)
    ? Effect.fail(badOption(name, "take the query and fragment out of the URL"))
    : secure(name, text)

const readOAuth = Effect.fnUntraced(function* (given: Given, publicUrl: URL | undefined) {
  const issuer = yield* given.value("oauth-issuer")
  const jwksUri = yield* given.value("oauth-jwks-url")
  const audience = yield* given.value("oauth-audience")
  if (issuer === undefined) {
    return jwksUri === undefined && audience === undefined
      ? undefined
      : yield* badOption(
          "oauth-issuer",
          "name the authorization server, or leave out the other oauth options"
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
  const resource = yield* secureWithoutQuery("public-url", publicUrl.toString())
  const settings: OAuthSettings = {
    issuer: yield* secureWithoutQuery("oauth-issuer", issuer),
    audience: audience ?? resource,
    resource,
    ...(jwksUri === undefined ? {} : { jwksUri: yield* secure("oauth-jwks-url", jwksUri) })
  }
  return settings
})

/** Writes a host as it appears in a URL: IPv6 in brackets. */
const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

const httpOnly = names.filter((name) => name !== "http" && Object.hasOwn(groups["Over HTTP"], name))

/** Without --http, the options would silently have no effect. */
const refuseWithoutHttp = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  const stray = httpOnly.find((name) => given.isSet(name))
  if (stray !== undefined) return yield* badOption(stray, "it needs --http")
  if ((environment[keysVariable] ?? "") !== "") {
    return yield* new UsageError({ problem: `${keysVariable}: it needs --http` })
  }
})

const unspecified = new Set(["0.0.0.0", "::"])

/** Returns `undefined` if the server uses stdio. */
export const read = Effect.fnUntraced(function* (given: Given, environment: Environment) {
  if (!(yield* given.value("http"))) {
    yield* refuseWithoutHttp(given, environment)
    return undefined
  }
  const host = yield* given.value("host")
  const isLocal = isLoopbackHost(bracketed(host))
  const publicUrl = yield* readPublicUrl(given)
  const keys = yield* readKeys(given, environment)
  const oauth = yield* readOAuth(given, publicUrl)
  if (keys === undefined && oauth === undefined && !isLocal) {
    return yield* badOption(
      "host",
      `other machines could reach this address, and every caller would be accepted. Give bearer keys with --bearer-keys-file or ${keysVariable}, or an authorization server with --oauth-issuer, or listen on 127.0.0.1.`
    )
  }
  const known = [
    ...(unspecified.has(host) ? [] : [bracketed(host)]),
    ...(publicUrl === undefined ? [] : [publicUrl.hostname])
  ]
  const allowedHosts = yield* OptionValues.hostnames(given, "allowed-hosts")
  if (allowedHosts === undefined && !isLocal && publicUrl === undefined) {
    return yield* badOption(
      "allowed-hosts",
      "name the hosts that requests may be addressed to, or give --public-url"
    )
  }
  return {
    host,
    port: yield* given.value("port"),
    allowedHosts: allowedHosts ?? [...localhostAllowedHostnames(), ...known],
    allowedOrigins: (yield* OptionValues.hostnames(given, "allowed-origins")) ?? [],
    /** Without keys and OAuth, every caller is accepted. */
    keys,
    oauth,
    maxSessions: yield* given.value("max-sessions"),
    sessionIdleTimeout: yield* given.value("session-idle-timeout")
  }
})
