/**
 * An app that already uses Effect: a client of another API, with the modules that such clients use.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

const Forecast = Schema.Struct({ city: Schema.String, celsius: Schema.Array(Schema.Finite) })

class CityNotFound extends Schema.TaggedError<CityNotFound>()("CityNotFound", {
  city: Schema.String
}) {}

const today = Effect.fnUntraced(function* (city: string) {
  const client = yield* HttpClient.HttpClient
  const response = yield* client
    .get(`https://weather.example.com/${encodeURIComponent(city)}`)
    .pipe(Effect.retry({ schedule: Schedule.exponential("100 millis"), times: 3 }))
  if (response.status === 404) return yield* new CityNotFound({ city })
  return yield* HttpClientResponse.schemaBodyJson(Forecast)(response)
})

class City extends Context.Service<City, string>()("app/City") {}

const services = Layer.merge(FetchHttpClient.layer, Layer.succeed(City, "Nairobi"))

export const weather = () =>
  City.pipe(
    Effect.flatMap(today),
    Effect.catchTag("CityNotFound", () => Effect.succeed(undefined)),
    Effect.provide(services),
    Effect.runPromise
  )
