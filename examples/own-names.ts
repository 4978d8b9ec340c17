import { MessagingTopup } from "@messaging-topup/core"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The service with settings from variables that have names of the program's own. */
export const account = Layer.unwrap(
  Effect.map(
    Config.all({ baseUrl: Config.String("SMS_URL"), token: Config.Redacted("SMS_KEY") }),
    MessagingTopup.layer
  )
)
