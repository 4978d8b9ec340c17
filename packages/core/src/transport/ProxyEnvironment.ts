/**
 * Reads the proxies from the environment, in undici's order: names in lower case first.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import { isProxyUrl, type Proxies, proxyAdvice } from "./UndiciDispatcher.ts"

const read = (name: string): Effect.Effect<string> =>
  Config.String(name).pipe(
    Config.withDefault(""),
    Effect.orElseSucceed(() => "")
  )

const url = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  for (const name of names) {
    const value = yield* read(name)
    if (value === "") continue
    if (isProxyUrl(value)) return value
    return yield* new ConfigurationError({ setting: name, problem: proxyAdvice })
  }
  return ""
})

export const proxyEnvironment: Effect.Effect<Proxies, ConfigurationError> = Effect.gen(
  function* () {
    return {
      httpProxy: yield* url("http_proxy", "HTTP_PROXY"),
      httpsProxy: yield* url("https_proxy", "HTTPS_PROXY"),
      noProxy: (yield* read("no_proxy")) || (yield* read("NO_PROXY"))
    }
  }
)
