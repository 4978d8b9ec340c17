import * as Authenticator from "@messaging-topup/mcp-server/src/serve/http/Authenticator.ts"
import { parse as parseKeys } from "@messaging-topup/mcp-server/src/serve/http/Keys.ts"
import { scopes as toolScopes } from "@messaging-topup/mcp-server/src/tools/Tool.ts"
import { toNodeHandler } from "@modelcontextprotocol/node"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import fc from "fast-check"
import { SignJWT } from "jose"
import { createServer } from "node:http"
import { inspect } from "node:util"
import { afterEach, describe, expect, it, vi } from "vitest"
import { renderings, renderingsWithHidden } from "../harness/Renderings.ts"
import { runs } from "../harness/Runs.ts"
import { authorizationServer, listening, type Options } from "../harness/mcp/AuthorizationServer.ts"
import { callOver, openHttp } from "../harness/mcp/RawHttp.ts"

const allScopes = Object.values(toolScopes)

const closers: Array<() => void> = []

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  for (const close of closers.splice(0)) close()
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
  Effect.runPromise(Effect.provide(Authenticator.make({ ...options, scopes: allScopes }), keepLogs))

/** Starts a server that responds with the caller that the authenticator returns. */
const serve = async (authenticator: Authenticator.Authenticator) => {
  const fetchLike = async (request: Request) => {
    const caller =
      authenticator.document(new URL(request.url).pathname) ??
      (await authenticator.authenticate(request.headers.get("authorization") ?? undefined))
    return caller instanceof Response ? caller : Response.json(caller)
  }
  const handler = toNodeHandler({ fetch: fetchLike })
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request
    void handler(Object.assign(request, { method, url }), response)
  })
  const { close, url } = await listening(server)
  closers.push(close)
  return `${url}/mcp`
}

const ask = async (url: string, authorization?: string) => {
  const response = await fetch(url, {
    headers: authorization === undefined ? {} : { authorization }
  })
  const body = await response.text()
  return {
    status: response.status,
    challenge: response.headers.get("www-authenticate") ?? "",
    headers: response.headers,
    body,
    all: inspect([response.status, [...response.headers], body])
  }
}

const resource = "https://mcp.example.com/mcp"
const metadataUrl = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"

/** Starts an authorization server, and a server whose authenticator trusts it. */
const trusting = async (options: Options = {}, more: { readonly keys?: string } = {}) => {
  const issuer = await authorizationServer(options)
  closers.push(issuer.close)
  const authenticator = await authenticatorOf({
    ...(more.keys === undefined ? {} : { keys: keysOf(more.keys) }),
    oauth: {
      issuer: issuer.issuer,
      audience: issuer.audience,
      resource
    }
  })
  return { issuer, authenticator, url: await serve(authenticator) }
}

const keyAuthenticator = async () => authenticatorOf({ keys: keysOf(text) })

describe("a bearer key", () => {
  it.each([
    ["laptop", one],
    ["ci", two]
  ])("of %s is accepted, under that name and with both scopes", async (name, key) => {
    const url = await serve(await keyAuthenticator())
    const response = await ask(url, `Bearer ${key}`)
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body)).toEqual({
      token: "<redacted>",
      clientId: name,
      scopes: ["messages:read", "messages:send"],
      expiresAt: expect.any(Number),
      extra: { principal: `key:${name}` }
    })
  })

  it("may follow a scheme in upper or lower case, as in RFC 9110", async () => {
    const url = await serve(await keyAuthenticator())
    expect((await ask(url, `bearer ${one}`)).status).toBe(200)
  })

  it.each<readonly [string, string | undefined]>([
    ["is missing", undefined],
    ["differs", `Bearer ${one.replace("4", "5")}`],
    ["is the beginning of one", `Bearer ${one.slice(0, -1)}`],
    ["is longer than one", `Bearer ${one}x`],
    ["is in capital letters", `Bearer ${one.toUpperCase()}`],
    ["is the name", "Bearer laptop"],
    ["is the whole entry", `Bearer laptop:${one}`],
    ["is empty", "Bearer "],
    ["is a scheme alone", "Bearer"],
    ["has no scheme", one],
    ["follows another scheme", `Basic ${one}`],
    ["is followed by a second key", `Bearer ${one} ${two}`],
    ["is followed by a comma, a scheme and a second key", `Bearer ${one}, Bearer ${two}`],
    ["is followed by a comma and a second key", `Bearer ${one},${two}`],
    ["comes with a parameter", `Bearer ${one}, realm="x"`]
  ])("lets nobody in that %s", async (_, authorization) => {
    const response = await ask(await serve(await keyAuthenticator()), authorization)
    expect(response.status).toBe(401)
    expect(response.challenge).toMatch(/^Bearer error="invalid_token"/)
    expect(response.challenge).not.toContain("resource_metadata")
    expect(JSON.parse(response.body)).toEqual({
      error: "invalid_token",
      error_description: expect.any(String)
    })
    expect(response.all).not.toContain(one.slice(4, -1))
    expect(response.all).not.toContain(two.slice(4, -1))
  })

  it("is not read from the query", async () => {
    const url = await serve(await keyAuthenticator())
    expect((await ask(`${url}?access_token=${encodeURIComponent(one)}`)).status).toBe(401)
  })

  it("is the only text that is accepted", async () => {
    const authenticator = await keyAuthenticator()
    const authenticate = (token: string) => authenticator.authenticate(`Bearer ${token}`.trimEnd())
    const near = fc
      .tuple(
        fc.constantFrom(one, two),
        fc.nat(40),
        fc.string({ maxLength: 2, unit: "grapheme-ascii" })
      )
      .map(([key, at, put]) => `${key.slice(0, at)}${put}${key.slice(at + 1)}`)
    const any = fc.string({ unit: "grapheme-ascii", maxLength: 80 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(near, any, fc.constantFrom(one, two)), async (token) => {
        // HTTP removes spaces at the ends of a header.
        const expected = token.trimEnd() === one || token.trimEnd() === two
        expect((await authenticate(token)) instanceof Response).toBe(!expected)
      }),
      { numRuns: runs(1_000) }
    )
  })

  it("is in no rendering of the keys, the authenticator or the caller", async () => {
    const keys = keysOf(text)
    const authenticator = await authenticatorOf({ keys })
    const caller = await authenticator.authenticate(`Bearer ${one}`)
    expect(caller).toMatchObject({ clientId: "laptop" })
    for (const value of [keys, authenticator, caller]) {
      const shown = inspect([renderings(value), renderingsWithHidden(value)], { depth: 5 })
      expect(shown).not.toContain(one)
      expect(shown).not.toContain(two)
    }
  })

  it("is refused if there are no keys", async () => {
    const url = await serve(await authenticatorOf({}))
    expect((await ask(url, `Bearer ${one}`)).status).toBe(401)
    expect((await ask(url)).status).toBe(401)
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

const discovery = ["/.well-known/oauth-authorization-server"]

const now = () => Math.floor(Date.now() / 1000)

describe("an access token", () => {
  it("authenticates its subject, with its scopes, until it expires", async () => {
    const { issuer, url } = await trusting()
    const exp = now() + 300
    const token = await issuer.token({ exp })
    const response = await ask(url, `Bearer ${token}`)
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body)).toEqual({
      token: "<redacted>",
      clientId: "assistant",
      scopes: ["messages:read", "messages:send"],
      // The tolerance for clock differences.
      expiresAt: exp + 30,
      resourceMetadataUrl: metadataUrl,
      extra: { principal: `oauth:${issuer.issuer}|someone`, client: "assistant" }
    })
  })

  it("without a subject authenticates its client", async () => {
    const { issuer, url } = await trusting()
    const response = await ask(url, `Bearer ${await issuer.token({ sub: undefined })}`)
    expect(JSON.parse(response.body)).toMatchObject({
      extra: { principal: `oauth:${issuer.issuer}|assistant` }
    })
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>, ReadonlyArray<string>]>([
    ["one in scope", { scope: "messages:read" }, ["messages:read"]],
    ["one among others in scope", { scope: "openid messages:send x" }, ["messages:send"]],
    ["scp as text", { scope: undefined, scp: "messages:read x" }, ["messages:read"]],
    ["scp as a list", { scope: undefined, scp: ["x", "messages:send"] }, ["messages:send"]],
    ["both", { scope: "messages:send", scp: ["messages:read"] }, ["messages:read", "messages:send"]]
  ])("grants its scopes: %s", async (_, claims, scopes) => {
    const { issuer, url } = await trusting()
    const response = await ask(url, `Bearer ${await issuer.token(claims)}`)
    expect(JSON.parse(response.body)).toMatchObject({ scopes })
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["no scope", { scope: undefined }],
    ["an empty scope", { scope: "" }],
    ["other scopes only", { scope: "messages messages:read:all MESSAGES:READ" }]
  ])("with %s receives 403", async (_, claims) => {
    const { issuer, url } = await trusting()
    const token = await issuer.token(claims)
    const response = await ask(url, `Bearer ${token}`)
    expect(response.status).toBe(403)
    expect(response.challenge).toMatch(/^Bearer error="insufficient_scope"/)
    expect(response.challenge).toContain('scope="messages:read messages:send"')
    expect(response.challenge).toContain(`resource_metadata="${metadataUrl}"`)
    expect(response.all).not.toContain(token.split(".")[2])
  })

  it.each<readonly [string, () => Readonly<Record<string, unknown>>, number]>([
    ["expired long ago", () => ({ exp: now() - 60 }), 401],
    ["expired within the tolerance", () => ({ exp: now() - 10 }), 200],
    ["never expires", () => ({ exp: undefined }), 401],
    ["has another issuer", () => ({ iss: "https://other.example.com" }), 401],
    ["is for another audience", () => ({ aud: "https://other.example.com" }), 401],
    ["is for several audiences with this one", () => ({ aud: ["x", resource] }), 200],
    ["has neither subject nor client", () => ({ sub: undefined, client_id: undefined }), 401],
    ["has an invalid scope", () => ({ scope: 1 }), 401]
  ])("that %s is checked", async (_, claims, status) => {
    const { issuer, url } = await trusting()
    const token = await issuer.token(claims())
    const response = await ask(url, `Bearer ${token}`)
    expect(response.status).toBe(status)
    expect(response.all).not.toContain(token.split(".")[2])
  })

  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url")

  type Issuer = Awaited<ReturnType<typeof authorizationServer>>

  /** jose refuses them, with the options that we set. */
  const forged: Readonly<Record<string, (issuer: Issuer) => Promise<string> | string>> = {
    "someone else signed it with a key id of the issuer": async (issuer) =>
      issuer.token({}, await issuer.makeKey("first")),
    "it was changed after it was signed": async (issuer) => {
      const [header, , signature] = (await issuer.token()).split(".")
      return [header, encode({ ...issuer.claims(), sub: "root" }), signature].join(".")
    },
    "its algorithm is none": (issuer) =>
      `${encode({ alg: "none", kid: "first" })}.${encode(issuer.claims())}.`,
    "it is signed with the public key as a shared secret": (issuer) =>
      new SignJWT(issuer.claims())
        .setProtectedHeader({ alg: "HS256", kid: "first" })
        .sign(Buffer.from(issuer.first.pem))
  }

  it.each(Object.entries(forged))("is refused if %s", async (_, made) => {
    const { issuer, url } = await trusting()
    expect((await ask(url, `Bearer ${await made(issuer)}`)).status).toBe(401)
  })

  it("is refused if it contains its own key, and its URLs are not requested", async () => {
    const { issuer, url } = await trusting()
    const other = await authorizationServer()
    closers.push(other.close)
    const token = await issuer.token({}, other.first, {
      jku: other.jwksUri,
      x5u: other.jwksUri,
      jwk: other.first.jwk
    })
    expect((await ask(url, `Bearer ${token}`)).status).toBe(401)
    expect(other.asked).toEqual([])
  })
})

describe("an authorization server", () => {
  const good = { issuer: "https://login.example.com", audience: "x", resource }

  const expectUnavailable = (response: Awaited<ReturnType<typeof ask>>, token: string) => {
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("5")
    expect(JSON.parse(response.body)).toMatchObject({ error: "temporarily_unavailable" })
    expect(response.all).not.toContain(token.split(".")[2])
    expect(response.all).not.toContain("127.0.0.1")
    expect(logs.join("\n")).toContain("keys could not be fetched")
    expect(logs.join("\n")).not.toContain(token.split(".")[2])
    expect(logs.join("\n")).not.toContain("?shown")
  }

  it.each(["fails", "returns invalid keys", "redirects"] as const)(
    "that %s makes the server respond 503, and the token works again when it recovers",
    async (behaviour) => {
      vi.useFakeTimers({ toFake: ["Date"] })
      const { issuer, url } = await trusting()
      const token = await issuer.token()
      issuer.respondToKeys(behaviour)
      expectUnavailable(await ask(url, `Bearer ${token}`), token)
      expect(issuer.asked).toEqual([...discovery, "/keys"])
      issuer.respondToKeys("succeeds")
      vi.setSystemTime(Date.now() + 5_000)
      expect((await ask(url, `Bearer ${token}`)).status).toBe(200)
    }
  )

  it("that fails gets one request in five seconds, however many tokens arrive", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { issuer, url } = await trusting()
    const theirs = await issuer.makeKey("theirs")
    issuer.respondToKeys("fails")
    const forged = async (each: number) => {
      const token = await issuer.token({ sub: `nobody ${each}` }, theirs)
      expectUnavailable(await ask(url, `Bearer ${token}`), token)
    }
    for (let each = 0; each < 20; each += 1) await forged(each)
    expect(issuer.asked).toEqual([...discovery, "/keys"])
    vi.setSystemTime(Date.now() + 4_900)
    await forged(20)
    expect(issuer.asked).toEqual([...discovery, "/keys"])
    vi.setSystemTime(Date.now() + 100)
    await forged(21)
    expect(issuer.asked).toEqual([...discovery, "/keys", "/keys"])
    await forged(22)
    expect(issuer.asked).toEqual([...discovery, "/keys", "/keys"])
  })

  it("that is unreachable makes the server respond 503", async () => {
    const { issuer, url } = await trusting()
    const token = await issuer.token()
    issuer.close()
    expectUnavailable(await ask(url, `Bearer ${token}`), token)
  })

  it.each<readonly [string, Options, ReadonlyArray<string>]>([
    ["RFC 8414", {}, ["/.well-known/oauth-authorization-server", "/keys"]],
    [
      "RFC 8414, with a path",
      { path: "/tenant" },
      ["/.well-known/oauth-authorization-server/tenant", "/keys"]
    ],
    [
      "OpenID Connect",
      { metadata: "openid" },
      ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/keys"]
    ],
    [
      "OpenID Connect, with a path",
      { metadata: "openid", path: "/tenant/" },
      [
        "/.well-known/oauth-authorization-server/tenant",
        "/tenant/.well-known/openid-configuration",
        "/keys"
      ]
    ]
  ])("says where its keys are: %s", async (_, options, asked) => {
    const { issuer, url } = await trusting(options)
    const status = async () => (await ask(url, `Bearer ${await issuer.token()}`)).status
    expect(await status()).toBe(200)
    expect(await status()).toBe(200)
    expect(issuer.asked).toEqual(asked)
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    [
      "names another issuer",
      { issuer: "https://other.example.com" },
      "is the metadata of another issuer"
    ],
    ["has no URL of keys", { jwks_uri: undefined }, "is not JSON with an issuer and a jwks_uri"],
    ["has an invalid URL of keys", { jwks_uri: "/keys" }, "jwks_uri is not https"],
    ["has an insecure URL of keys", { jwks_uri: "http://192.0.2.1/keys" }, "is not https"]
  ])("is not trusted if its metadata %s", async (_, wrongMetadata, reason) => {
    const { issuer, url } = await trusting({ wrongMetadata })
    const token = await issuer.token()
    expectUnavailable(await ask(url, `Bearer ${token}`), token)
    expect(logs.join("\n")).toContain(reason)
    expect(issuer.asked).not.toContain("/keys")
  })

  it("on the internet cannot make the server send requests to its own machine", async () => {
    const inside = await authorizationServer()
    closers.push(inside.close)
    const authenticator = await authenticatorOf({ oauth: good })
    const token = await inside.token({ iss: good.issuer, aud: good.audience })
    const real = fetch
    const asked: Array<string> = []
    vi.stubGlobal("fetch", (url: URL, init?: RequestInit) => {
      asked.push(url.href)
      return url.origin === good.issuer
        ? Promise.resolve(Response.json({ issuer: good.issuer, jwks_uri: inside.jwksUri }))
        : real(url, init)
    })
    expect(await authenticator.authenticate(`Bearer ${token}`)).toMatchObject({ status: 503 })
    expect(asked).toEqual([`${good.issuer}/.well-known/oauth-authorization-server`])
  })
})

describe("an authenticator for keys and access tokens", () => {
  it("accepts both, and refuses both with the same text", async () => {
    const { issuer, url } = await trusting({}, { keys: text })
    expect((await ask(url, `Bearer ${one}`)).status).toBe(200)
    expect((await ask(url, `Bearer ${await issuer.token()}`)).status).toBe(200)
    const key = await ask(url, `Bearer ${one}x`)
    const token = await ask(url, `Bearer ${await issuer.token({ exp: 1 })}`)
    expect(key.status).toBe(401)
    expect([token.status, token.challenge, token.body]).toEqual([
      key.status,
      key.challenge,
      key.body
    ])
  })

  it("needs no authorization server to check a key", async () => {
    const { issuer, url } = await trusting({}, { keys: text })
    issuer.close()
    expect((await ask(url, `Bearer ${one}`)).status).toBe(200)
    expect((await ask(url, `Bearer ${one}x`)).status).toBe(401)
  })

  it("says with 401 where to get a token", async () => {
    const { url } = await trusting()
    const { challenge, status } = await ask(url)
    expect(status).toBe(401)
    expect(challenge).toContain(`resource_metadata="${metadataUrl}"`)
    expect(challenge).toContain('scope="messages:read messages:send"')
  })

  it("has no access token in a rendering of itself or the caller", async () => {
    const { authenticator, issuer } = await trusting()
    const token = await issuer.token()
    const caller = await authenticator.authenticate(`Bearer ${token}`)
    expect(caller).toMatchObject({ clientId: "assistant" })
    for (const value of [authenticator, caller]) {
      const shown = inspect([renderings(value), renderingsWithHidden(value)], { depth: 5 })
      for (const part of token.split(".")) expect(shown).not.toContain(part)
    }
  })
})

describe("the document of RFC 9728", () => {
  it("names the resource, its authorization server and its scopes to everyone", async () => {
    const { issuer, url } = await trusting()
    const response = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url))
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      resource,
      authorization_servers: [issuer.issuer],
      scopes_supported: ["messages:read", "messages:send"],
      bearer_methods_supported: ["header"]
    })
  })

  it.each([
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/openid-configuration",
    "/mcp"
  ])("is the only public document: %s needs a token", async (path) => {
    const { url } = await trusting()
    expect((await fetch(new URL(path, url))).status).toBe(401)
  })

  it("does not exist without OAuth", async () => {
    const url = await serve(await keyAuthenticator())
    const response = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url))
    expect(response.status).toBe(401)
  })
})

describe("a scope", () => {
  /** Starts a server that trusts a new authorization server. */
  const opened = async (...args: ReadonlyArray<string>) => {
    const issuer = await authorizationServer()
    closers.push(issuer.close)
    const env = {
      MESSAGING_TOPUP_MCP_OAUTH_ISSUER: issuer.issuer,
      MESSAGING_TOPUP_MCP_PUBLIC_URL: issuer.audience
    }
    return { issuer, http: await openHttp(["--sandbox", ...args], { env }) }
  }

  it.each([["--read-only", "messages:read", "messages:send"]])(
    "that no offered tool needs is never required: %s",
    async (arg, needed, other) => {
      const { http: server, issuer } = await opened(arg)
      await using http = server
      const document = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", http.url))
      expect(await document.json()).toMatchObject({ scopes_supported: [needed] })
      const missing = await ask(http.url)
      expect(missing.status).toBe(401)
      expect(missing.challenge).toContain(`scope="${needed}"`)
      const useless = await ask(http.url, `Bearer ${await issuer.token({ scope: other })}`)
      expect(useless.status).toBe(403)
      expect(useless.challenge).toContain(`scope="${needed}"`)
      expect(useless.all).not.toContain(other)
    }
  )

  it("to read is not enough to send", async () => {
    const { http: server, issuer } = await opened()
    await using http = server
    const authorization = `Bearer ${await issuer.token({ scope: "messages:read" })}`
    const sms = { recipient: "+254700000001", message: "Hello" }
    const statusOf = async (tool: string) =>
      (await callOver(http.url, "modern", 1, tool, sms, { headers: { authorization } })).status
    expect(await statusOf("preview_sms")).toBe(200)
    expect(await statusOf("send_sms")).toBe(403)
    expect(await statusOf("send_sms_batch")).toBe(403)
  })
})
