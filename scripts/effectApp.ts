/**
 * An app that already uses Effect: a client of another API, with the modules that such clients use.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"

const Forecast = Schema.Struct({
  city: Schema.String,
  hours: Schema.Array(Schema.Struct({ at: Schema.String, celsius: Schema.Finite }))
})

class CityNotFound extends Schema.TaggedError<CityNotFound>()("CityNotFound", {
  city: Schema.String
}) {}

class Weather extends Context.Service<
  Weather,
  {
    readonly today: (
      city: string
    ) => Effect.Effect<
      typeof Forecast.Type,
      CityNotFound | HttpClientError.HttpClientError | Schema.SchemaError
    >
  }
>()("app/Weather") {
  static readonly layer = Layer.effect(
    Weather,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      return Weather.of({
        today: Effect.fnUntraced(function* (city: string) {
          const response = yield* client
            .get(`https://weather.example.com/${encodeURIComponent(city)}`)
            .pipe(Effect.retry({ schedule: Schedule.exponential("100 millis"), times: 3 }))
          if (response.status === 404) return yield* new CityNotFound({ city })
          return yield* HttpClientResponse.schemaBodyJson(Forecast)(response)
        })
      })
    })
  )
}

export const weather = (city: string) =>
  Weather.pipe(
    Effect.flatMap((service) => service.today(city)),
    Effect.catchTag("CityNotFound", () => Effect.succeed(undefined)),
    Effect.provide(Weather.layer.pipe(Layer.provide(FetchHttpClient.layer))),
    Effect.runPromise
  )
