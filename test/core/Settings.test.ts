import { describe, expect, it } from "@effect/vitest"
import {
  ConfigurationError,
  layerConfig,
  MessagingTopup,
  type MessagingTopupOptions
} from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import type * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { reply, responseServer } from "../support/ResponseServer.ts"
import { changed, client, transports } from "../support/Clients.ts"
import { contract, operationNames } from "../support/Contract.ts"
import { renderings, renderingsWithHidden } from "../support/Renderings.ts"

const baseUrl = "https://service.test"
const token = Redacted.make("a-token")

/** A transport that always responds with an empty bundle list, and records the requested URLs. */
const recording = () => {
  const urls: Array<string> = []
  const transport = HttpClient.make((request, url) =>
    Effect.sync(() => {
      urls.push(url.href)
      return HttpClientResponse.fromWeb(request, Response.json({ category: [] }))
    })
  )
  return { urls, layer: Layer.succeed(HttpClient.HttpClient, transport) }
}

/** Builds the layer and lists the bundles. Returns the exit and the requests. */
const use = <E>(layer: Layer.Layer<MessagingTopup, E, HttpClient.HttpClient>) =>
  Effect.gen(function* () {
    const { layer: transport, urls } = recording()
    const exit = yield* Effect.flatMap(MessagingTopup, (service) =>
      Effect.orDie(service.listDataBundles())
    ).pipe(Effect.provide(Layer.provide(layer, transport)), Effect.exit)
    return { exit, urls }
  })

/** What an untyped caller can pass. */
const untyped = (options: Readonly<Record<string, unknown>>) =>
  ({ baseUrl, token, ...options }) as unknown as MessagingTopupOptions

const expectRefusal = Effect.fnUntraced(function* (
  layer: Layer.Layer<
    MessagingTopup,
    ConfigurationError | Config.ConfigError,
    HttpClient.HttpClient
  >,
  setting: string,
  advice: RegExp
) {
  const { exit, urls } = yield* use(layer)
  expect(urls).toEqual([])
  const error = Option.getOrThrow(Exit.findErrorOption(exit))
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toMatchObject({ setting, problem: expect.stringMatching(advice) })
  expect(error.message).toMatch(new RegExp(`Change ${setting}: |^${setting} is not set: `))
  return error
})

/** `shown` is in values that no rendering of a refusal may repeat. */
const expectNotShown = (error: unknown) => {
  const texts = { ...renderings(error), ...renderingsWithHidden(error) }
  expect(Object.values(texts).filter((text) => text.includes("shown"))).toEqual([])
}

const absolute = /absolute URL/
const https = /https/

describe("a base URL is refused that is", () => {
  it.effect.each<readonly [what: string, value: string, advice: RegExp]>([
    ["empty", "", /is not set/],
    ["relative", "/shown/path", absolute],
    ["with one slash", "https:/shown.example.com", absolute],
    ["without slashes", "https:shown.example.com", absolute],
    ["with three slashes", "https:///shown.example.com", absolute],
    ["with a backslash", "https://shown.example.com\\path", absolute],
    ["a host without a scheme", "shown.example.com", absolute],
    ["a scheme without a host", "https://", absolute],
    ["with an invalid port", "https://shown.example.com:99999", absolute],
    ["ftp", "ftp://shown.example.com", https],
    ["a file", "file:///shown", https],
    ["javascript", "javascript:shown()", https],
    ["one with a user name", "https://shown@service.test", /user name and password/],
    ["one with a password", "https://:shown@service.test", /user name and password/],
    ["one with both", "https://user:shown@service.test/path", /user name and password/],
    ["one with a query", "https://service.test/?key=shown", /query and fragment/],
    ["one with an empty query", "https://service.test/shown?", /query and fragment/],
    ["one with a fragment", "https://service.test/#shown", /query and fragment/],
    ["one with an empty fragment", "https://service.test/shown#", /query and fragment/],
    ["one with a space before it", " https://shown.example.com", /spaces or control/],
    ["one with a space after it", "https://shown.example.com ", /spaces or control/],
    ["one with a line break after it", "https://shown.example.com\n", /spaces or control/],
    ["one with a line break in it", "https://shown.\r\nexample.com", /spaces or control/],
    ["one with a tab in it", "https://shown.\texample.com", /spaces or control/],
    ["one with NUL in it", "https://shown.example.com/\u0000", /spaces or control/],
    ["one with DEL in it", "https://shown.example.com/\u007f", /spaces or control/]
  ])("%s", ([, value, advice]) =>
    Effect.gen(function* () {
      const error = yield* expectRefusal(
        MessagingTopup.layer({ baseUrl: value, token }),
        "baseUrl",
        advice
      )
      expectNotShown(error)
    })
  )

  it.effect.each([
    "http://service.test",
    "http://shown.example.com:8080/path",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://localhost.",
    "http://notlocalhost",
    "http://my-localhost",
    "http://127.example.com",
    "http://128.0.0.1",
    "http://10.0.0.1",
    "http://0.0.0.0",
    "http://169.254.169.254",
    "http://[::]",
    "http://[::2]",
    "http://[::ffff:10.0.0.1]",
    "http://example.com\\@localhost",
    "http://example.com/@127.0.0.1",
    "HTTP://EXAMPLE.COM",
    // A resolver may ask the network for it.
    "http://service.localhost:3000"
  ])("http on a host that is not loopback: %s", (value) =>
    Effect.gen(function* () {
      const refused = MessagingTopup.layer({ baseUrl: value, token })
      expectNotShown(yield* expectRefusal(refused, "baseUrl", https))
    })
  )

  it.effect("not set", () =>
    expectRefusal(MessagingTopup.layer(untyped({ baseUrl: undefined })), "baseUrl", /is not set/)
  )

  it.effect.each([null, 42, {}, ["https://service.test"], new URL(baseUrl)])(
    "not text: %s",
    (value) =>
      Effect.gen(function* () {
        yield* expectRefusal(MessagingTopup.layer(untyped({ baseUrl: value })), "baseUrl", absolute)
      })
  )
})

describe("a base URL is used that is", () => {
  it.effect.each([
    ["https://service.test", "https://service.test"],
    ["https://service.test/", "https://service.test"],
    ["HTTPS://Service.TEST:443/", "https://service.test"],
    ["https://service.test:8443/a/b", "https://service.test:8443/a/b"],
    ["https://service.test/a/b/", "https://service.test/a/b"],
    ["https://service.test/a%2Fb/%7Eteam", "https://service.test/a%2Fb/%7Eteam"],
    ["https://10.0.0.1", "https://10.0.0.1"],
    ["http://localhost", "http://localhost"],
    ["http://LOCALHOST:3000", "http://localhost:3000"],
    ["https://service.test//", "https://service.test"],
    ["https://service.test/a/b//", "https://service.test/a/b"],
    ["https://service.localhost:3000", "https://service.localhost:3000"],
    ["http://127.0.0.1:3000/a", "http://127.0.0.1:3000/a"],
    ["http://127.1.2.3", "http://127.1.2.3"],
    ["http://127.1", "http://127.0.0.1"],
    ["http://[::1]:3000", "http://[::1]:3000"],
    ["http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000"]
  ])("%s", ([value, expected]) =>
    Effect.gen(function* () {
      const { exit, urls } = yield* use(MessagingTopup.layer({ baseUrl: value ?? "", token }))
      expect(exit).toEqual(Exit.succeed({ category: [] }))
      expect(urls).toEqual([`${expected}/v1/list-bundles`])
    })
  )

  it.effect("http on a public host, if the caller allows it", () =>
    Effect.gen(function* () {
      const options = { baseUrl: "http://service.test", token, allowInsecureHttp: true }
      const { urls } = yield* use(MessagingTopup.layer(options))
      expect(urls).toEqual(["http://service.test/v1/list-bundles"])
      yield* expectRefusal(
        MessagingTopup.layer({ ...options, allowInsecureHttp: false }),
        "baseUrl",
        https
      )
    })
  )

  it.effect("neither https nor http, even if the caller allows http", () =>
    expectRefusal(
      MessagingTopup.layer({ baseUrl: "ftp://service.test", token, allowInsecureHttp: true }),
      "baseUrl",
      https
    )
  )
})

describe.for(transports)("over %s", ([, transport]) => {
  it.live.each([
    ["", ""],
    ["/", ""],
    ["/team/api", "/team/api"],
    ["/team/api/", "/team/api"],
    ["/%7Eteam/a%2Fb", "/%7Eteam/a%2Fb"]
  ])('the path prefix "%s" of the base URL is kept', ([prefix, expected]) =>
    Effect.gen(function* () {
      const server = yield* responseServer
      yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.gen(function* () {
          for (const name of operationNames) {
            const { call, path, success, successStatus } = contract[name]
            server.respondWith(reply(successStatus, success))
            expect(yield* call(service)).toEqual(success)
            expect(server.received).toMatchObject([{ url: `${expected}${path}` }])
          }
        })
      ).pipe(Effect.provide(client(`${server.baseUrl}${prefix}`, transport)))
    })
  )
})

describe("a token is refused that is", () => {
  it.effect.each<readonly [what: string, value: string]>([
    ["a space", " "],
    ["one with a space in it", "shown token"],
    ["one with a space before it", " shown"],
    ["one with a line break after it", "shown\n"],
    ["one that would start another header", "shown\r\nx-admin: 1"],
    ["one with a tab", "shown\t"],
    ["one with NUL", "shown\u0000"],
    ["one with DEL", "shown\u007f"],
    ["one with a letter beyond ASCII", "shownß"],
    ["one with a no-break space", "shown\u00a0"],
    ["one with a byte order mark", "\ufeffshown"],
    ["one with a typographic quote", "“shown”"]
  ])("%s", ([, value]) =>
    Effect.gen(function* () {
      const error = yield* expectRefusal(
        MessagingTopup.layer({ baseUrl, token: Redacted.make(value) }),
        "token",
        /as it was issued/
      )
      expectNotShown(error)
    })
  )

  it.effect.each([undefined, Redacted.make("")])("not set, or empty: %s", (missing) =>
    expectRefusal(MessagingTopup.layer(untyped({ token: missing })), "token", /is not set/)
  )

  it.effect.each([null, "shown", 42, { value: "shown" }])("not redacted: %s", (value) =>
    Effect.gen(function* () {
      const error = yield* expectRefusal(
        MessagingTopup.layer(untyped({ token: value })),
        "token",
        /Redacted\.make/
      )
      expectNotShown(error)
    })
  )

  it.effect("redacted and not text", () =>
    expectRefusal(
      MessagingTopup.layer(untyped({ token: Redacted.make(42) })),
      "token",
      /as it was issued/
    )
  )

  it.effect("wiped from memory", () =>
    Effect.gen(function* () {
      const wiped = Redacted.make("shown")
      Redacted.wipeUnsafe(wiped)
      yield* expectRefusal(
        MessagingTopup.layer({ baseUrl, token: wiped }),
        "token",
        /token|Redacted/
      )
    })
  )
})

describe("another setting is refused:", () => {
  it.effect.each<readonly [setting: string, value: unknown, advice: RegExp]>([
    ["timeout", 0, /positive, finite/],
    ["timeout", -1, /positive, finite/],
    ["timeout", Number.NaN, /positive, finite/],
    ["timeout", Infinity, /positive, finite/],
    ["timeout", "Infinity", /positive, finite/],
    ["timeout", "0 seconds", /positive, finite/],
    ["timeout", "-5 seconds", /positive, finite/],
    ["timeout", Duration.zero, /positive, finite/],
    ["timeout", Duration.infinity, /positive, finite/],
    ["timeout", "shown", /30 seconds/],
    ["timeout", "30", /30 seconds/],
    ["timeout", "", /30 seconds/],
    ["timeout", {}, /30 seconds/],
    ["timeout", true, /30 seconds/],
    ["readRetries", -1, /at least 0/],
    ["readRetries", 1.5, /whole number/],
    ["readRetries", Number.NaN, /whole number/],
    ["readRetries", Infinity, /whole number/],
    ["readRetries", "shown", /whole number/],
    ["maxBodyBytes", 0, /at least 1/],
    ["maxBodyBytes", -1, /at least 1/],
    ["maxBodyBytes", Number.NaN, /whole number/],
    ["maxBodyBytes", Infinity, /whole number/],
    ["maxBodyBytes", "shown", /whole number/],
    ["allowInsecureHttp", "yes", /true or false/],
    ["timeoutMillis", 30, /no such option; the options are baseUrl, token, timeout/],
    ["retries", 3, /no such option/]
  ])("%s %s", ([setting, value, advice]) =>
    Effect.gen(function* () {
      const refused = MessagingTopup.layer(untyped({ [setting]: value }))
      const error = yield* expectRefusal(refused, setting, advice)
      if (value === "shown") expectNotShown(error)
    })
  )
})

describe("layerConfig", () => {
  const url = "MESSAGING_TOPUP_BASE_URL"
  const secret = "MESSAGING_TOPUP_TOKEN"
  const timeout = "MESSAGING_TOPUP_TIMEOUT"
  const configured = (variables: Readonly<Record<string, string>>) =>
    layerConfig.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))))

  it.live("reads base URL, token and time-out from the environment, and applies the time-out", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const variables = {
        [url]: `${server.baseUrl}/prefix`,
        [secret]: "the-token",
        [timeout]: "80 millis"
      }
      const error = yield* Effect.flatMap(MessagingTopup, (service) => {
        server.respondWith(() => undefined)
        return Effect.flip(service.sendSms({ recipient: "1", message: "x" }))
      }).pipe(Effect.provide(Layer.provide(configured(variables), NodeTransport.layer)))
      expect(error).toMatchObject({ _tag: "RequestTimedOut", timeoutMillis: 80 })
      expect(server.received).toMatchObject([
        { url: "/prefix/sms/send", headers: { authorization: "Bearer the-token" } }
      ])
    })
  )

  it.effect.each<Readonly<Record<string, string>>>([
    {},
    { [timeout]: "30 seconds" },
    { [timeout]: "" }
  ])("does with the time-out %o", (variables) =>
    Effect.gen(function* () {
      const { exit, urls } = yield* use(
        configured({ [url]: baseUrl, [secret]: "the-token", ...variables })
      )
      expect(Exit.isSuccess(exit)).toBe(true)
      expect(urls).toEqual([`${baseUrl}/v1/list-bundles`])
    })
  )

  it.live("reads the other settings from the environment", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const variables = {
        [url]: server.baseUrl.replace("127.0.0.1", "service.localhost"),
        [secret]: "the-token",
        MESSAGING_TOPUP_READ_RETRIES: "0",
        MESSAGING_TOPUP_MAX_BODY_BYTES: "7",
        MESSAGING_TOPUP_ALLOW_INSECURE_HTTP: "true"
      }
      const transport = changed(
        NodeTransport.layer,
        HttpClient.mapRequest(({ url: asked, ...request }) => ({
          ...request,
          url: asked.replace("service.localhost", "127.0.0.1")
        }))
      )
      yield* Effect.gen(function* () {
        const service = yield* MessagingTopup
        server.respondWith(reply(503))
        yield* Effect.flip(service.getSmsStatus("m-1"))
        expect(server.received).toHaveLength(1)
        server.respondWith(reply(200, contract.getSmsStatus.success))
        expect(yield* Effect.flip(service.getSmsStatus("m-1"))).toMatchObject({
          problem: "more than 7 bytes"
        })
      }).pipe(Effect.provide(Layer.provide(configured(variables), transport)))
    })
  )

  it.effect.each([
    ["MESSAGING_TOPUP_READ_RETRIES", "two"],
    ["MESSAGING_TOPUP_READ_RETRIES", "-1"],
    ["MESSAGING_TOPUP_MAX_BODY_BYTES", "0"],
    ["MESSAGING_TOPUP_ALLOW_INSECURE_HTTP", "maybe"]
  ] as const)("refuses %s=%s and names the variable", ([name, value]) =>
    expectRefusal(
      configured({ [url]: baseUrl, [secret]: "the-token", [name]: value }),
      name,
      /whole number|true or false/
    )
  )

  it.effect.each<readonly [name: string, variables: Readonly<Record<string, string>>]>([
    [url, {}],
    [url, { [secret]: "shown-token" }],
    [secret, { [url]: "https://shown.example.com" }],
    [secret, { [url]: baseUrl, [`${secret}__0`]: "shown" }],
    [timeout, { [url]: baseUrl, [secret]: "shown-token", [timeout]: "shown" }],
    [timeout, { [url]: baseUrl, [secret]: "shown-token", [timeout]: "30" }]
  ])("names %s if it is missing or unreadable, and shows no value: %o", ([name, variables]) =>
    Effect.gen(function* () {
      const { exit, urls } = yield* use(configured(variables))
      expect(urls).toEqual([])
      const error = Option.getOrThrow(Exit.findErrorOption(exit))
      expect(error).toMatchObject({
        _tag: "ConfigurationError",
        setting: name,
        message: expect.stringContaining(name)
      })
      expectNotShown(error)
    })
  )

  it.effect.each<
    readonly [setting: string, variables: Readonly<Record<string, string>>, advice: RegExp]
  >([
    [url, { [url]: "http://shown.example.com" }, https],
    [secret, { [secret]: "shown token" }, /as it was issued/],
    [timeout, { [timeout]: "0 seconds" }, /positive, finite/],
    [timeout, { [timeout]: "Infinity" }, /positive, finite/]
  ])("checks %s as the option is checked", ([setting, variables, advice]) =>
    Effect.gen(function* () {
      const error = yield* expectRefusal(
        configured({ [url]: baseUrl, [secret]: "the-token", ...variables }),
        setting,
        advice
      )
      expectNotShown(error)
    })
  )
})
