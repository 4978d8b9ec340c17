/**
 * Where the server listens, and to whom.
 */
import { localhostAllowedHostnames } from "@modelcontextprotocol/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { OAuthSettings } from "../http/auth/OAuthSettings.ts"
import { isLoopbackHost } from "../http/auth/WebAddress.ts"
import { groups, keysVariable } from "./Options.ts"
import type { Environment, Raw } from "./Raw.ts"
import { badOption, SettingsError } from "./SettingsError.ts"
import * as Values from "./Values.ts"

/** A host name without port, or an IPv6 address in brackets. */
const isHostname = (text: string): boolean => /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/i.test(text)

const hostnames = Effect.fnUntraced(function* (
  raw: Raw,
  name: "allowed-hosts" | "allowed-origins"
) {
  const text = raw.text(name)
  if (text === undefined) return undefined
  const given = Values.list(text)
  return given.length > 0 && given.every(isHostname)
    ? given.map((host) => host.toLowerCase())
    : yield* badOption(name, "give host names without scheme and port, separated by commas")
})

/** Both at once would leave open which one counts. */
const readKeys = Effect.fnUntraced(function* (raw: Raw, environment: Environment) {
  const file = raw.text("keys-file")
  const inline = environment[keysVariable] || undefined
  if (file !== undefined && inline !== undefined) {
    return yield* badOption("keys-file", `leave it out, or leave out ${keysVariable}`)
  }
  return {
    file: Option.fromUndefinedOr(file),
    inline: Option.map(Option.fromUndefinedOr(inline), Redacted.make)
  }
})

const readOAuth = Effect.fnUntraced(function* (raw: Raw, publicUrl: URL | undefined) {
  const issuer = raw.text("oauth-issuer")
  const jwksUri = raw.text("oauth-jwks-url")
  if (issuer === undefined) {
    return jwksUri === undefined && raw.text("oauth-audience") === undefined
      ? Option.none<OAuthSettings>()
      : yield* badOption(
          "oauth-issuer",
          "name the authorization server, or leave out the other oauth options"
        )
  }
  if (publicUrl === undefined) {
    return yield* badOption("public-url", "OAuth needs the address that clients use")
  }
  const resource = publicUrl.toString()
  return Option.some<OAuthSettings>({
    issuer,
    audience: raw.text("oauth-audience") ?? resource,
    resource,
    ...(jwksUri === undefined ? {} : { jwksUri })
  })
})

/** As a URL writes it. */
const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

const others = Object.keys(groups["Over HTTP"]).filter((name) => name !== "http")

/** Whoever wants them wants HTTP: without it nothing would come of them, and nothing would say so. */
const refuseStray = Effect.fnUntraced(function* (raw: Raw, environment: Environment) {
  const stray = others.find((name) => raw.given(name))
  if (stray !== undefined) return yield* badOption(stray, "it needs --http")
  if ((environment[keysVariable] ?? "") !== "") {
    return yield* new SettingsError({ problem: `${keysVariable}: it needs --http` })
  }
})

const unspecified = new Set(["0.0.0.0", "::"])

/** `undefined` where the server speaks stdio. */
export const read = Effect.fnUntraced(function* (raw: Raw, environment: Environment) {
  if (!raw.on("http")) {
    yield* refuseStray(raw, environment)
    return undefined
  }
  const host = raw.text("host") ?? "127.0.0.1"
  const publicUrl = yield* Values.url(raw)("public-url")
  const keys = yield* readKeys(raw, environment)
  const oauth = yield* readOAuth(raw, publicUrl)
  const open = Option.isNone(keys.file) && Option.isNone(keys.inline) && Option.isNone(oauth)
  if (open && !isLoopbackHost(bracketed(host))) {
    return yield* new SettingsError({
      problem: `--host (MESSAGING_TOPUP_MCP_HOST): other machines could reach this address, and nothing would ask them who they are. Give bearer keys with --keys-file or ${keysVariable}, or an authorization server with --oauth-issuer, or listen on 127.0.0.1.`
    })
  }
  const known = [
    ...(unspecified.has(host) ? [] : [bracketed(host)]),
    ...(publicUrl === undefined ? [] : [publicUrl.hostname])
  ]
  const allowedHosts = yield* hostnames(raw, "allowed-hosts")
  if (allowedHosts === undefined && !isLoopbackHost(bracketed(host)) && publicUrl === undefined) {
    return yield* badOption(
      "allowed-hosts",
      "name the hosts that requests are addressed to, or give --public-url"
    )
  }
  return {
    host,
    port: yield* Values.count(raw)("port", 8808, 0, 65_535),
    allowedHosts: allowedHosts ?? [...localhostAllowedHostnames(), ...known],
    allowedOrigins: (yield* hostnames(raw, "allowed-origins")) ?? localhostAllowedHostnames(),
    keys,
    oauth,
    maxSessions: yield* Values.count(raw)("max-sessions", 100, 1, 100_000),
    sessionIdle: yield* Values.duration(raw)(
      "session-idle",
      Duration.minutes(30),
      Duration.seconds(1)
    )
  }
})
