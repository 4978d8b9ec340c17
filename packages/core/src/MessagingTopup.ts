/** The service as Effects: sending SMS, and reports on SMS, airtime and data bundles. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { makeService, type MessagingTopupService } from "./Call.ts"
import { secured } from "./call/BaseUrl.ts"
import { checkOptions, serviceOptions } from "./call/OptionChecks.ts"
import type { ServiceOptions } from "./call/Options.ts"
import { Transport } from "./call/Transport.ts"
import type { ConfigurationError } from "./errors/ClientFailures.ts"

/** Where the service is, and how it is called. */
export interface MessagingTopupOptions extends ServiceOptions<Redacted.Redacted, Duration.Input> {}

/** The five operations. */
export class MessagingTopup extends Context.Service<MessagingTopup, MessagingTopupService>()(
  "@messaging-topup/core/MessagingTopup"
) {
  /**
   * Makes the service as a value, for programs that use several accounts, or whose token changes: on the
   * same transport, another service costs nothing.
   */
  static readonly make = (
    options: MessagingTopupOptions
  ): Effect.Effect<MessagingTopupService, ConfigurationError, Transport> =>
    Effect.flatMap(
      Effect.fromResult(Result.flatMap(checkOptions(serviceOptions, options), secured)),
      (settings) => Effect.map(Transport, (transport) => makeService(settings, transport))
    )

  /**
   * Builds the service on a transport, which provides `Transport`: a layer of `@messaging-topup/core/node`, of
   * `@messaging-topup/core/fetch` or of `@messaging-topup/core/http-client`.
   */
  static readonly layer = (
    options: MessagingTopupOptions
  ): Layer.Layer<MessagingTopup, ConfigurationError, Transport> =>
    Layer.effect(MessagingTopup, MessagingTopup.make(options))
}
