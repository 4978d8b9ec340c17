import { describe, expect, it } from "@effect/vitest"
import {
  ConfigurationError,
  layerConfig,
  layerConfigFrom,
  MessagingTopup,
  type Transport
} from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as NodeTransport from "@messaging-topup/core/node"
import { createClient, type CreateClientOptions } from "@messaging-topup/core/promise"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { account } from "../../examples/own-names.ts"
import { serviceOptions } from "../../packages/core/src/call/OptionChecks.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"
import { client, transports } from "../harness/Clients.ts"
import { contract, errorBody, operationNames } from "../harness/Contract.ts"
import { durations, noDurations } from "../harness/Durations.ts"
import { expectNothingShown } from "../harness/Renderings.ts"

const baseUrl = "https://service.test"
const token = Redacted.make("a-token")

/** Builds the layer on a transport with an empty bundle list, and lists the bundles. */
const use = (layer: Layer.Layer<MessagingTopup, ConfigurationError, Transport>) =>
  Effect.gen(function* () {
    const urls: Array<string> = []
    const transport = FetchTransport.layerFetch((asked) => {
      urls.push(new Request(asked).url)
      return Promise.resolve(Response.json({ category: [] }))
    })
    const exit = yield* Effect.flatMap(MessagingTopup, (service) =>
      Effect.orDie(service.listDataBundles())
    ).pipe(Effect.provide(Layer.provide(layer, transport)), Effect.exit)
    return { exit, urls }
  })

const expectFailure = Effect.fnUntraced(function* (
  layer: Layer.Layer<MessagingTopup, ConfigurationError, Transport>,
  setting: string,
  advice: RegExp
) {
  const { exit, urls } = yield* use(layer)
  expect(urls).toEqual([])
  const error = Option.getOrThrow(Exit.findErrorOption(exit))
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toMatchObject({ setting, problem: expect.stringMatching(advice) })
  expect(error.message).toMatch(
    new RegExp(`^Change ${setting}: |^${setting} (is not set|cannot be read): `)
  )
  // `shown` is in values that no rendering of a refusal may repeat.
  expectNothingShown(["shown"])(error)
  return error
})

const thrownBy = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

/** What an untyped caller can pass. Both clients refuse it, before anything is sent. */
const expectRefusal = Effect.fnUntraced(function* (
  changed: Readonly<Record<string, unknown>>,
  setting: string,
  advice: RegExp
) {
  const options = { baseUrl, token: "a-token", ...changed } as CreateClientOptions
  const redacted = Predicate.isString(options.token) ? Redacted.make(options.token) : options.token
  const layer = MessagingTopup.layer({ ...options, token: redacted })
  yield* expectFailure(layer, setting, advice)
  const problem = expect.stringMatching(advice)
  const thrown = thrownBy(() => createClient(options))
  expect(thrown).toBeInstanceOf(ConfigurationError)
  expect(thrown).toMatchObject({ setting, problem })
  expectNothingShown(["shown"])(thrown)
})

const absolute = /absolute URL/
const https = /https/
const duration = /positive, finite/

describe("a base URL is refused that is", () => {
  it.effect.each<readonly [what: string, value: unknown, advice: RegExp]>([
    ["not set", undefined, /is not set/],
    ["null", null, /is not set/],
    ["a number", 42, absolute],
    ["an object", {}, absolute],
    ["a list", ["https://service.test"], absolute],
    ["a URL", new URL(baseUrl), absolute],
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
    ["one of an operation", "https://shown.example.com/shown/sms/send", /take \/sms\/send out/],
    ["… and a slash", "https://shown.example.com/v1/list-bundles//", /take \/v1\/list/],
    ["one with a space before it", " https://shown.example.com", /spaces or control/],
    ["one with a space after it", "https://shown.example.com ", /spaces or control/],
    ["one with a line break after it", "https://shown.example.com\n", /spaces or control/],
    ["one with a line break in it", "https://shown.\r\nexample.com", /spaces or control/],
    ["one with a tab in it", "https://shown.\texample.com", /spaces or control/],
    ["one with NUL in it", "https://shown.example.com/\u0000", /spaces or control/],
    ["one with DEL in it", "https://shown.example.com/\u007f", /spaces or control/]
  ])("%s", ([, value, advice]) => expectRefusal({ baseUrl: value }, "baseUrl", advice))

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
    expectRefusal({ baseUrl: value }, "baseUrl", https)
  )

  it.effect("neither https nor http, even if the caller allows http", () =>
    expectRefusal({ baseUrl: "ftp://service.test", allowInsecureHttp: true }, "baseUrl", https)
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
    ["https://service.test/sms/send/a", "https://service.test/sms/send/a"],
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
      const options = { baseUrl: "http://service.test", allowInsecureHttp: true }
      const { urls } = yield* use(MessagingTopup.layer({ ...options, token }))
      expect(urls).toEqual(["http://service.test/v1/list-bundles"])
      yield* expectRefusal({ ...options, allowInsecureHttp: false }, "baseUrl", https)
    })
  )
})

describe.for(transports)("over %s", ([, transport]) => {
  it.live("the path prefix of the base URL is kept as it is", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const address = `${server.baseUrl}/%7Eteam/a%2Fb/`
      yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.forEach(operationNames, (name) => {
          const { call, path, success, successStatus } = contract[name]
          server.respondWith(reply(successStatus, success))
          return Effect.map(call(service), () =>
            expect(server.received).toMatchObject([{ url: `/%7Eteam/a%2Fb${path}` }])
          )
        })
      ).pipe(Effect.provide(client(address, transport)))
    })
  )
})

describe("a token is refused that is", () => {
  const wiped = Redacted.make("shown")
  Redacted.wipeUnsafe(wiped)

  it.effect.each<readonly [what: string, value: unknown]>([
    ["not set", undefined],
    ["null", null],
    ["empty", ""],
    ["redacted and empty", Redacted.make("")],
    ["redacted, and a number", Redacted.make(42)],
    ["wiped", wiped],
    ["a number", 42],
    ["an object", { value: "shown" }],
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
    ["one with a typographic quote", "“shown”"],
    ["too long for a header", "shown".repeat(2_000)]
  ])("%s", ([, value]) =>
    expectRefusal({ token: value }, "token", /is not set|Redacted\.make|as it was issued/)
  )
})

describe("another setting is refused:", () => {
  it.effect.each<readonly [setting: string, value: unknown, advice: RegExp]>([
    ["timeout", 0, duration],
    ["timeout", -1, duration],
    ["timeout", Number.NaN, duration],
    ["timeout", Infinity, duration],
    ["timeout", "Infinity", duration],
    ["timeout", "0 seconds", duration],
    ["timeout", "-5 seconds", duration],
    ["timeout", Duration.zero, duration],
    ["timeout", Duration.infinity, duration],
    ["timeout", "shown", duration],
    ["timeout", "30", duration],
    ["timeout", "", duration],
    ["timeout", {}, duration],
    ["timeout", true, duration],
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
    ["transport", {}, /no such option/],
    ["retries", 3, /no such option/]
  ])("%s %s", ([setting, value, advice]) => expectRefusal({ [setting]: value }, setting, advice))

  it.effect("what is no name is not repeated", () =>
    expectRefusal({ "+15550100123 shown": 3 }, "options", /no such option/)
  )
})

it.effect.each([
  ["80 millis", 80],
  [Duration.millis(80), 80],
  [80, 80],
  [undefined, 30_000]
] as const)("a time-out of %o is known in milliseconds: %i", ([timeout, expected]) =>
  MessagingTopup.make({ baseUrl, token, timeout }).pipe(
    Effect.map(({ timeoutMillis }) => expect(timeoutMillis).toBe(expected)),
    Effect.provide(FetchTransport.layer)
  )
)

describe("layerConfig", () => {
  const url = "MESSAGING_TOPUP_BASE_URL"
  const secret = "MESSAGING_TOPUP_TOKEN"
  const timeout = "MESSAGING_TOPUP_TIMEOUT"
  const retries = "MESSAGING_TOPUP_READ_RETRIES"
  const insecure = "MESSAGING_TOPUP_ALLOW_INSECURE_HTTP"
  const configured = (variables: Readonly<Record<string, string | undefined>>) =>
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

  it.effect.each<readonly [value: string | undefined, expected: number]>([
    [undefined, 30_000],
    ["", 30_000],
    ...Object.entries(durations)
  ])("a time-out of %o is %i milliseconds", ([value, expected]) =>
    MessagingTopup.pipe(
      Effect.map(({ timeoutMillis }) => expect(timeoutMillis).toBe(expected)),
      Effect.provide(
        Layer.provide(
          configured({ [url]: baseUrl, [secret]: "the-token", [timeout]: value }),
          FetchTransport.layer
        )
      )
    )
  )

  it.effect.each(["true", "TRUE", "True", "yes", "Yes", "on", "ON", "1", "y"])(
    "a switch can be %s",
    (value) =>
      Effect.gen(function* () {
        const http = "http://service.test"
        const variables = { [url]: http, [secret]: "the-token", [insecure]: value }
        const { urls } = yield* use(configured(variables))
        expect(urls).toEqual([`${http}/v1/list-bundles`])
      })
  )

  it.effect.each(["false", "FALSE", "no", "Off", "0", "N"])("… or %s", (value) =>
    expectFailure(
      configured({ [url]: "http://service.test", [secret]: "the-token", [insecure]: value }),
      url,
      https
    )
  )

  it.effect("tells a source that is down from a wrong value", () => {
    const down = ConfigProvider.make(() =>
      Effect.fail(new ConfigProvider.SourceError({ message: "shown: connection refused" }))
    )
    return expectFailure(
      Layer.provide(layerConfig, ConfigProvider.layer(down)),
      url,
      /^cannot be read/
    )
  })

  it.live("reads the other settings from the environment", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      const variables = {
        [url]: server.baseUrl.replace("127.0.0.1", "service.localhost"),
        [secret]: "the-token",
        [retries]: "0",
        MESSAGING_TOPUP_MAX_BODY_BYTES: "7",
        [insecure]: "true"
      }
      const transport = FetchTransport.layerFetch((asked, init) =>
        fetch(new Request(asked).url.replace("service.localhost", "127.0.0.1"), init)
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

  const documented = [
    ...readFileSync("packages/core/README.md", "utf8").matchAll(/^\| `(\w+)` \| `(\w+)` \| /gm)
  ].map(([, option = "", variable = ""]) => [option, variable] as const)

  it("has every option of a service as a variable, in its page and in its docstring", () => {
    expect(documented.map(([option]) => option)).toEqual(Object.keys(serviceOptions))
    const source = readFileSync("packages/core/src/LayerConfig.ts", "utf8")
    for (const [, variable] of documented) expect(source).toContain(`\`${variable}\``)
  })

  it.effect.each(documented)("reads %s from %s", ([, variable]) =>
    expectFailure(
      configured({
        [url]: "https://shown.example.com",
        [secret]: "shown-token",
        [variable]: "shown text"
      }),
      variable,
      /^give /
    )
  )

  it.effect("can be replaced by own-names.ts, whose variables have other names", () =>
    Effect.gen(function* () {
      const variables = { SMS_URL: "https://own.test", SMS_KEY: "the-token" }
      const { urls } = yield* use(
        account.pipe(
          Layer.orDie,
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables)))
        )
      )
      expect(urls).toEqual(["https://own.test/v1/list-bundles"])
    })
  )

  it.live("reads variables of another prefix, so that a program has two accounts", () =>
    Effect.gen(function* () {
      const server = yield* responseServer
      server.respondWith(reply(202, contract.sendSms.success))
      const variables = Object.fromEntries(
        ["SHOP", "CLINIC"].flatMap((prefix) => [
          [`${prefix}_BASE_URL`, server.baseUrl],
          [`${prefix}_TOKEN`, `token-of-${prefix}`]
        ])
      )
      const sendAs = (prefix: string) =>
        Effect.gen(function* () {
          const { sendSms } = yield* Effect.provide(MessagingTopup, layerConfigFrom(prefix))
          yield* sendSms({ recipient: "1", message: "x" })
        })
      const provided = Effect.provide([
        NodeTransport.layer,
        ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))
      ])
      yield* provided(Effect.andThen(sendAs("SHOP"), sendAs("CLINIC")))
      expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
        "Bearer token-of-SHOP",
        "Bearer token-of-CLINIC"
      ])
      yield* expectFailure(layerConfigFrom("BANK"), "BANK_BASE_URL", /is not set/)
      server.respondWith(reply(401, errorBody(401)))
      // The usual variable may hold the good token of another account.
      const { message } = yield* Effect.flip(provided(sendAs("SHOP")))
      expect(message).toContain(
        ": check MESSAGING_TOPUP_TOKEN, unless another variable or an option gave it"
      )
    })
  )

  type Variables = Readonly<Record<string, string | undefined>>

  it.effect.each<readonly [name: string, variables: Variables, advice: RegExp]>([
    [url, { [url]: undefined }, /is not set/],
    [url, { [url]: "" }, /is not set/],
    [secret, { [secret]: undefined }, /is not set/],
    [secret, { [secret]: undefined, [`${secret}__0`]: "shown" }, /is not set/],
    [secret, { [secret]: "" }, /is not set/],
    [
      timeout,
      { [timeout]: "shown" },
      /with its unit, such as 30 seconds: only in code, a number is/
    ],
    ...noDurations.map((value) => [timeout, { [timeout]: value }, duration] as const),
    [timeout, { [timeout]: "0" }, duration],
    [url, { [url]: "http://shown.example.com" }, https],
    [url, { [url]: "http://shown.example.com" }, new RegExp(`set ${insecure} only`)],
    [secret, { [secret]: "shown token" }, /as it was issued/],
    ...["-1", " ", "1.5", "1e3"].map(
      (value) => [retries, { [retries]: value }, /whole number/] as const
    ),
    ["MESSAGING_TOPUP_MAX_BODY_BYTES", { MESSAGING_TOPUP_MAX_BODY_BYTES: "0" }, /whole number/],
    [insecure, { [insecure]: "maybe" }, /true or false/]
  ])("names %s if it is missing, unreadable or wrong: %o", ([name, changed, advice]) => {
    const variables = { [url]: "https://shown.example.com", [secret]: "shown-token", ...changed }
    return Effect.map(expectFailure(configured(variables), name, advice), ({ problem }) =>
      // The name of an option, such as `allowInsecureHttp`.
      expect(problem).not.toMatch(/[a-z][A-Z]/)
    )
  })
})
