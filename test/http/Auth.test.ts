import * as Authenticator from "@messaging-topup/mcp-server/src/serve/http/Authenticator.ts"
import { parse as parseKeys } from "@messaging-topup/mcp-server/src/serve/http/Keys.ts"
import { scopes as toolScopes } from "@messaging-topup/mcp-server/src/tools/Tool.ts"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import fc from "fast-check"
import { SignJWT } from "jose"
import { inspect } from "node:util"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { renderings, renderingsWithHidden } from "../harness/Renderings.ts"
import {
  authorizationServer,
  type Issuer,
  type Options
} from "../harness/mcp/AuthorizationServer.ts"
import { showsCards } from "../harness/mcp/CardClient.ts"
import { callOver, modernHeaders, openHttp, post } from "../harness/mcp/RawHttp.ts"
import { envelope } from "../harness/mcp/RawStdio.ts"

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  logs.length = 0
})

const one = "one-4dZk3fTq8wYx2LmN7pRs9vBc1hJg6aQe"
const two = "two+9vBc1hJg6aQe4dZk3fTq8wYx2LmN7p/Rs="
const text = `laptop:${one}\nci:${two}\n`

const keysOf = (given: string) => Result.getOrThrow(parseKeys(given))

/** The log entries of the authenticators. */
const logs: Array<string> = []

const keepLogs = Logger.layer([
  Logger.map(Logger.formatStructured, (line) => {
    logs.push(inspect(line, { depth: 8 }))
  })
])

const authenticatorOf = (options: Omit<Parameters<typeof Authenticator.make>[0], "scopes">) =>
  Effect.runPromise(
    Effect.provide(Authenticator.make({ ...options, scopes: Object.values(toolScopes) }), keepLogs)
  )

const withKeys = () => authenticatorOf({ keys: keysOf(text) })

/** The caller as status 200, or the response. */
const readOf = async (given: unknown) => {
  const response = given instanceof Response ? given : Response.json(given)
  const { headers, status } = response
  const body = await response.text()
  return {
    status,
    challenge: headers.get("www-authenticate") ?? "",
    headers,
    body: JSON.parse(body),
    all: inspect([status, [...headers], body])
  }
}

const ask = async (authenticator: Authenticator.Authenticator, token?: string) =>
  readOf(await authenticator.authenticate(token === undefined ? undefined : `Bearer ${token}`))

const resource = "https://mcp.example.com/mcp"
const metadataPath = "/.well-known/oauth-protected-resource/mcp"
const metadataUrl = `https://mcp.example.com${metadataPath}`

/** Starts an authorization server, and makes an authenticator that trusts it. */
const trusting = async (options: Options = {}, more: { readonly keys?: string } = {}) => {
  const issuer = await authorizationServer(options)
  const authenticator = await authenticatorOf({
    ...(more.keys === undefined ? {} : { keys: keysOf(more.keys) }),
    oauth: { issuer: issuer.issuer, audience: issuer.audience, resource }
  })
  return { issuer, authenticator, send: (token?: string) => ask(authenticator, token) }
}

describe("a bearer key", () => {
  it("is accepted under its name and with both scopes, after a scheme in any case", async () => {
    const authenticator = await withKeys()
    for (const [name, key, scheme] of [
      ["laptop", one, "Bearer"],
      ["ci", two, "bearer"]
    ]) {
      expect(await authenticator.authenticate(`${scheme} ${key}`)).toEqual({
        token: "<redacted>",
        clientId: name,
        scopes: ["messages:read", "messages:send"],
        expiresAt: expect.any(Number),
        extra: { caller: `key:${name}` }
      })
    }
  })

  it.each<readonly [string, string | undefined]>([
    ["is missing", undefined],
    ["is the name", "Bearer laptop"],
    ["is the whole entry", `Bearer laptop:${one}`],
    ["is a scheme alone", "Bearer"],
    ["has no scheme", one],
    ["follows another scheme", `Basic ${one}`],
    ["is followed by a second key", `Bearer ${one} ${two}`],
    ["is followed by a comma, a scheme and a second key", `Bearer ${one}, Bearer ${two}`],
    ["is followed by a comma and a second key", `Bearer ${one},${two}`],
    ["comes with a parameter", `Bearer ${one}, realm="x"`]
  ])("lets nobody in that %s", async (_, authorization) => {
    const refused = await readOf(await (await withKeys()).authenticate(authorization))
    expect(refused.status).toBe(401)
    expect(refused.challenge).toMatch(/^Bearer error="invalid_token"/)
    expect(refused.challenge).not.toContain("resource_metadata")
    expect(refused.body).toEqual({
      error: "invalid_token",
      error_description: expect.any(String)
    })
    for (const key of [one, two]) expect(refused.all).not.toContain(key.slice(4, -1))
  })

  it("is refused with its name, and the response says what is right", async () => {
    const { authenticate } = await withKeys()
    const { body, challenge } = await readOf(await authenticate(`Bearer laptop:${one}`))
    expect(body.error_description).toBe(
      "Give Authorization: Bearer TOKEN, with one token. Of an entry name:key, give the key alone"
    )
    expect(challenge).toContain(body.error_description)
  })

  it("is the only text that is accepted", async () => {
    const authenticator = await withKeys()
    const near = fc
      .tuple(
        fc.constantFrom(one, two),
        fc.nat(40),
        fc.string({ maxLength: 2, unit: "grapheme-ascii" })
      )
      .map(([key, at, put]) => `${key.slice(0, at)}${put}${key.slice(at + 1)}`)
    const any = fc.string({ unit: "grapheme-ascii", maxLength: 80 })
    const named = fc.constantFrom(one, two, one.toUpperCase(), `${one}x`, one.slice(0, -1), "")
    await fc.assert(
      fc.asyncProperty(fc.oneof(near, any, named), async (token) => {
        // HTTP removes spaces at the ends of a header.
        const known = token.trimEnd() === one || token.trimEnd() === two
        const response = await authenticator.authenticate(`Bearer ${token}`.trimEnd())
        expect(response instanceof Response).toBe(!known)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is refused if there are no keys", async () => {
    expect((await ask(await authenticatorOf({}), one)).status).toBe(401)
  })
})

describe("the list of keys", () => {
  it.each([
    ["one per line", `laptop:${one}\nci:${two}`],
    ["with commas", `laptop:${one},ci:${two},`],
    [
      "with blank lines, spaces and comments",
      `\n# ours:x, y\n\n  laptop : ${one}  \n \nci:${two}\n#`
    ],
    ["with Windows line ends and a byte order mark", `\uFEFFlaptop:${one}\r\nci:${two}\r\n`]
  ])("is read: %s", async (_, given) => {
    const keys = keysOf(given)
    expect(keys.map(({ key, name }) => [name, Redacted.value(key)])).toEqual([
      ["laptop", one],
      ["ci", two]
    ])
  })

  const dotted = `${one}.${one}.${one}`

  const howTo = /name:key, where the key has at least 32 characters.*openssl rand -base64 32/

  it.each<readonly [what: string, given: string, line: number | undefined, problem: RegExp]>([
    ["is empty", "", undefined, howTo],
    ["has only comments", "# a\n\n# b", undefined, howTo],
    ["has a key without a name", `\n${one}`, 2, howTo],
    ["has an equals sign instead of the colon", `a=${one}`, 1, howTo],
    ["has an empty name", `:${one}`, 1, howTo],
    ["has a name with spaces", `my key:${one}`, 1, howTo],
    ["has a name that is too long", `${"n".repeat(65)}:${one}`, 1, howTo],
    ["has no key after a name", "a:", 1, howTo],
    ["has a key that is too short", `a:${one}\nb:${two.slice(0, 31)}`, 2, howTo],
    ["has a key with a space", `a:${one} ${two}`, 1, howTo],
    ["has a key with a letter that is not ASCII", `a:${one}é`, 1, howTo],
    ["has a JWT as a key", `a:${dotted}`, 1, howTo],
    ["has a name twice", `a:${one}\n\na:${two}`, 3, /same name or the same key/],
    ["has a key twice", `a:${one}\nb:${one}`, 2, /same name or the same key/],
    ["has a fault after a comma", `a:${one},b`, 1, howTo]
  ])("that %s is refused, and the error repeats none of it", (_, given, line, problem) => {
    const shown = Result.getOrThrow(Result.flip(parseKeys(given)))
    expect(shown).toMatch(problem)
    expect(shown.startsWith("line ")).toBe(line !== undefined)
    if (line !== undefined) expect(shown).toContain(`line ${line}: `)
    expect(shown).not.toContain(one)
    expect(shown).not.toContain(two.slice(0, 31))
  })

  it("accepts keys of at least 32 characters", () => {
    expect(keysOf(`a:${one.slice(0, 32)}`)).toHaveLength(1)
  })
})

const wellKnown = "/.well-known/oauth-authorization-server"
const discovery = [wellKnown]

const now = () => Math.floor(Date.now() / 1000)

describe("an access token", () => {
  it("authenticates its subject, with its scopes, until it expires", async () => {
    const { authenticator, issuer } = await trusting()
    const exp = now() + 300
    expect(await authenticator.authenticate(`Bearer ${await issuer.token({ exp })}`)).toEqual({
      token: "<redacted>",
      clientId: "assistant",
      scopes: ["messages:read", "messages:send"],
      // The tolerance for clock differences.
      expiresAt: exp + 30,
      resourceMetadataUrl: metadataUrl,
      extra: { caller: `oauth:${issuer.issuer}|someone`, client: "assistant" }
    })
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>, ReadonlyArray<string>]>([
    ["one in scope", { scope: "messages:read" }, ["messages:read"]],
    ["one among others in scope", { scope: "openid messages:send x" }, ["messages:send"]],
    ["scope as a list", { scope: ["x", "messages:send"] }, ["messages:send"]],
    ["scp as text", { scope: undefined, scp: "messages:read x" }, ["messages:read"]],
    ["scp as a list", { scope: undefined, scp: ["x", "messages:send"] }, ["messages:send"]],
    [
      "both",
      { scope: "messages:send", scp: ["messages:read"] },
      ["messages:read", "messages:send"]
    ],
    ["no scope", { scope: undefined }, []],
    ["an empty scope", { scope: "" }, []],
    ["other scopes only", { scope: "messages messages:read:all MESSAGES:READ" }, []]
  ])("grants its scopes, or receives 403 without any: %s", async (_, claims, scopes) => {
    const { issuer, send } = await trusting()
    const token = await issuer.token(claims)
    const { all, body, challenge, status } = await send(token)
    if (scopes.length > 0) return expect(body).toMatchObject({ scopes })
    expect(status).toBe(403)
    expect(challenge).toMatch(/^Bearer error="insufficient_scope"/)
    expect(challenge).toContain('scope="messages:read messages:send"')
    expect(challenge).toContain(`resource_metadata="${metadataUrl}"`)
    expect(all).not.toContain(token.split(".")[2])
  })

  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url")

  /** What jose refuses only with the options that we set, and what we check after it. */
  const tokens: Readonly<
    Record<string, readonly [200 | 401, (issuer: Issuer) => Promise<string> | string]>
  > = {
    "expired long ago": [401, ({ token }) => token({ exp: now() - 60 })],
    "expired within the tolerance": [200, ({ token }) => token({ exp: now() - 10 })],
    "never expires": [401, ({ token }) => token({ exp: undefined })],
    "has another issuer": [401, ({ token }) => token({ iss: "https://other.example.com" })],
    "is for another audience": [401, ({ token }) => token({ aud: "https://other.example.com" })],
    "has no subject": [200, ({ token }) => token({ sub: undefined })],
    "has neither subject nor client": [
      401,
      ({ token }) => token({ sub: undefined, client_id: undefined })
    ],
    "has an invalid scope": [401, ({ token }) => token({ scope: 1 })],
    "has the algorithm none": [
      401,
      ({ claims }) => `${encode({ alg: "none", kid: "first" })}.${encode(claims())}.`
    ],
    "is signed with the public key as a shared secret": [
      401,
      ({ claims, first }) =>
        new SignJWT(claims())
          .setProtectedHeader({ alg: "HS256", kid: "first" })
          .sign(Buffer.from(first.pem))
    ],
    "is signed by someone else with a key id of the issuer": [
      401,
      async ({ makeKey, token }) => token({}, await makeKey("first"))
    ]
  }

  it.each(Object.entries(tokens))("that %s is checked", async (what, [status, made]) => {
    const { issuer, send } = await trusting()
    const token = await made(issuer)
    const response = await send(token)
    expect(response.status).toBe(status)
    if (token.split(".")[2] !== "") expect(response.all).not.toContain(token.split(".")[2])
    if (what === "has no subject") {
      const caller = `oauth-client:${issuer.issuer}|assistant`
      expect(response.body).toMatchObject({ extra: { caller } })
    }
  })

  it("is refused if it contains its own key, and its URLs are not requested", async () => {
    const { issuer, send } = await trusting()
    const other = await authorizationServer()
    const urls = { jku: other.jwksUri, x5u: other.jwksUri, jwk: other.first.jwk }
    expect((await send(await issuer.token({}, other.first, urls))).status).toBe(401)
    expect(other.asked).toEqual([])
  })
})

describe("an authorization server", () => {
  const expectUnavailable = (response: Awaited<ReturnType<typeof ask>>, token: string) => {
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("5")
    expect(response.body).toMatchObject({ error: "temporarily_unavailable" })
    expect(response.all).not.toContain(token.split(".")[2])
    expect(response.all).not.toContain("127.0.0.1")
    expect(logs.join("\n")).toContain("keys could not be fetched")
    expect(logs.join("\n")).not.toContain(token.split(".")[2])
  }

  it.each(["fails", "returns invalid keys", "redirects"] as const)(
    "that %s gets one request in five seconds, and the token works when it recovers",
    async (behaviour) => {
      vi.useFakeTimers({ toFake: ["Date"] })
      const { issuer, send } = await trusting()
      const token = await issuer.token()
      const theirs = await issuer.makeKey("theirs")
      issuer.respondToKeys(behaviour)
      expectUnavailable(await send(token), token)
      for (let each = 0; each < 20; each += 1) {
        const forged = await issuer.token({ sub: `nobody ${each}` }, theirs)
        expectUnavailable(await send(forged), forged)
      }
      vi.setSystemTime(Date.now() + 4_900)
      expectUnavailable(await send(token), token)
      expect(issuer.asked).toEqual([...discovery, "/keys"])
      vi.setSystemTime(Date.now() + 100)
      issuer.respondToKeys("succeeds")
      expect((await send(token)).status).toBe(200)
      expect(issuer.asked).toEqual([...discovery, "/keys", ...discovery, "/keys"])
    }
  )

  it("that fails does not matter to a token whose key is known, whatever others send", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { issuer, send } = await trusting()
    const token = await issuer.token()
    expect((await send(token)).status).toBe(200)
    issuer.respondToKeys("fails")
    // Longer than an unknown key makes jose fetch nothing.
    vi.setSystemTime(Date.now() + 31_000)
    const forged = await issuer.token({}, await issuer.makeKey("theirs"))
    expectUnavailable(await send(forged), forged)
    expect((await send(token)).status).toBe(200)
  })

  it("that has just been asked is not asked for a key that it began to use, whose token may be valid", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { issuer, send } = await trusting()
    const exp = now() + 3600
    expect((await send(await issuer.token({ exp }))).status).toBe(200)
    const second = await issuer.makeKey("second")
    // No key has such an id.
    for (const kid of [["second"], { second }, "second".repeat(100)]) {
      expect((await send(await issuer.token({ exp }, second, { kid }))).status).toBe(401)
    }
    const rotated = await issuer.token({ exp }, second)
    const response = await send(rotated)
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("30")
    expect(response.body).toMatchObject({
      error: "temporarily_unavailable",
      error_description: expect.stringMatching(/its key is not known yet/)
    })
    expect(issuer.asked).toEqual([...discovery, "/keys"])
    vi.setSystemTime(Date.now() + 31_000)
    expect((await send(rotated)).status).toBe(401)
    expect(issuer.asked).toEqual([...discovery, "/keys", ...discovery, "/keys"])
  })

  it("that responds late is not asked again for as long after it failed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { issuer, send } = await trusting()
    const token = await issuer.token({ exp: now() + 3600 })
    const real = fetch
    let keysAsked = 0
    vi.stubGlobal("fetch", (url: string | URL, init?: RequestInit) => {
      if (!String(url).endsWith("/keys")) return real(url, init)
      keysAsked += 1
      vi.setSystemTime(Date.now() + 5_000)
      return Promise.reject(new Error("late"))
    })
    expectUnavailable(await send(token), token)
    vi.setSystemTime(Date.now() + 4_000)
    expectUnavailable(await send(token), token)
    expect(keysAsked).toBe(1)
  })

  it("that is unreachable makes the server respond 503, but not to a bearer key", async () => {
    const { issuer, send } = await trusting({}, { keys: text })
    const token = await issuer.token()
    issuer.close()
    expectUnavailable(await send(token), token)
    expect((await send(one)).status).toBe(200)
    expect((await send(`${one}x`)).status).toBe(401)
  })

  const openid = "/.well-known/openid-configuration"

  /** Where it looks for the keys, or why it does not trust what it finds. */
  it.each<readonly [string, Options, ReadonlyArray<string> | string]>([
    ["RFC 8414", {}, discovery],
    ["RFC 8414, with a path", { path: "/tenant" }, [`${wellKnown}/tenant`]],
    ["OpenID Connect", { metadata: "openid" }, [...discovery, openid]],
    [
      "OpenID Connect, with a path",
      { metadata: "openid", path: "/tenant/" },
      [`${wellKnown}/tenant`, `/tenant${openid}`]
    ],
    [
      "another issuer",
      { wrongMetadata: { issuer: "https://other.example.com" } },
      "is the metadata of another issuer"
    ],
    [
      "no URL of keys",
      { wrongMetadata: { jwks_uri: undefined } },
      "is not JSON with an issuer and a jwks_uri"
    ],
    ["a relative URL of keys", { wrongMetadata: { jwks_uri: "/keys" } }, "is not https"],
    ["an insecure URL", { wrongMetadata: { jwks_uri: "http://192.0.2.1/keys" } }, "is not https"]
  ])("says where its keys are: %s", async (_, options, expected) => {
    const { issuer, send } = await trusting(options)
    const token = await issuer.token()
    if (typeof expected === "string") {
      expectUnavailable(await send(token), token)
      expect(logs.join("\n")).toContain(expected)
      expect(issuer.asked).not.toContain("/keys")
      return
    }
    expect((await send(token)).status).toBe(200)
    expect((await send(token)).status).toBe(200)
    expect(issuer.asked).toEqual([...expected, "/keys"])
  })

  it("on the internet cannot make the server send requests to its own machine", async () => {
    const inside = await authorizationServer()
    const good = { issuer: "https://login.example.com", audience: "x", resource }
    const authenticator = await authenticatorOf({ oauth: good })
    const token = await inside.token({ iss: good.issuer, aud: good.audience })
    const real = fetch
    const asked: Array<string> = []
    vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
      asked.push(url)
      return url.startsWith(good.issuer)
        ? Promise.resolve(Response.json({ issuer: good.issuer, jwks_uri: inside.jwksUri }))
        : real(url, init)
    })
    expect((await ask(authenticator, token)).status).toBe(503)
    expect(asked).toEqual([`${good.issuer}${wellKnown}`])
  })
})

describe("an authenticator for keys and access tokens", () => {
  it("accepts both, and refuses both, and nothing, with the same text", async () => {
    const { issuer, send } = await trusting({}, { keys: text })
    expect((await send(one)).status).toBe(200)
    expect((await send(await issuer.token())).status).toBe(200)
    const key = await send(`${one}x`)
    const token = await send(await issuer.token({ exp: 1 }))
    expect(key.status).toBe(401)
    expect([token.status, token.challenge, token.body]).toEqual([
      key.status,
      key.challenge,
      key.body
    ])
    // Where to get a token.
    for (const { challenge } of [key, await send()]) {
      expect(challenge).toContain(`resource_metadata="${metadataUrl}"`)
      expect(challenge).toContain('scope="messages:read messages:send"')
    }
  })

  it("has neither a key nor an access token in a rendering of itself or the caller", async () => {
    const keys = keysOf(text)
    const { authenticator, issuer } = await trusting({}, { keys: text })
    const token = await issuer.token()
    const byKey = await authenticator.authenticate(`Bearer ${one}`)
    const byToken = await authenticator.authenticate(`Bearer ${token}`)
    expect([byKey, byToken]).toMatchObject([{ clientId: "laptop" }, { clientId: "assistant" }])
    for (const value of [keys, authenticator, byKey, byToken]) {
      const all = inspect([renderings(value), renderingsWithHidden(value)], { depth: 5 })
      for (const secret of [one, two, ...token.split(".")]) expect(all).not.toContain(secret)
    }
  })

  it("has one public document, of RFC 9728, if it accepts access tokens", async () => {
    const { authenticator, issuer } = await trusting()
    expect(await authenticator.document(metadataPath)?.json()).toEqual({
      resource,
      authorization_servers: [issuer.issuer],
      scopes_supported: ["messages:read", "messages:send"],
      bearer_methods_supported: ["header"]
    })
    for (const path of [
      ...discovery,
      metadataPath.replace("/mcp", ""),
      "/.well-known/openid-configuration",
      "/mcp"
    ]) {
      expect(authenticator.document(path), path).toBeUndefined()
    }
    expect((await withKeys()).document(metadataPath)).toBeUndefined()
  })
})

describe("a scope", () => {
  /** Starts a server that trusts a new authorization server. */
  const opened = async (...args: ReadonlyArray<string>) => {
    const issuer = await authorizationServer()
    const env = {
      MESSAGING_TOPUP_MCP_OAUTH_ISSUER: issuer.issuer,
      MESSAGING_TOPUP_MCP_PUBLIC_URL: issuer.audience
    }
    const http = await openHttp(["--sandbox", ...args], { env })
    const call = async (tool: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const sms = { recipient: "+254700000001", message: "Hello" }
      const response = await callOver(http.url, "modern", 1, tool, sms, { headers })
      const { status } = response
      return { status, challenge: response.headers.get("www-authenticate") ?? "" }
    }
    return { issuer, http, call }
  }

  it("that no offered tool needs is never required", async () => {
    const { call, http: server, issuer } = await opened("--read-only")
    await using http = server
    const document = await fetch(new URL(metadataPath, http.url))
    expect(await document.json()).toMatchObject({ scopes_supported: ["messages:read"] })
    const missing = await call("preview_sms")
    const useless = await call("preview_sms", await issuer.token({ scope: "messages:send" }))
    expect([missing.status, useless.status]).toEqual([401, 403])
    for (const { challenge } of [missing, useless]) {
      expect(challenge).toContain('scope="messages:read"')
      expect(challenge).not.toContain("messages:send")
    }
  })

  it("to read is not enough to send", async () => {
    const { call, http, issuer } = await opened()
    onTestFinished(() => http[Symbol.asyncDispose]())
    const token = await issuer.token({ scope: "messages:read" })
    expect((await call("preview_sms", token)).status).toBe(200)
    expect((await call("send_sms", token)).status).toBe(403)
    expect((await call("send_sms_batch", token)).status).toBe(403)
    const params = { name: "decide_sms", arguments: {}, _meta: envelope(showsCards) }
    const decided = await post(
      http.url,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      {
        headers: { ...modernHeaders("tools/call", "decide_sms"), authorization: `Bearer ${token}` }
      }
    )
    expect(decided.status).toBe(403)
  })
})
