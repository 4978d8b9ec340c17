import { layerConfig, layerConfigFrom, MessagingTopup } from "@messaging-topup/core"
import type { MessagingTopupService } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process from "node:process"

/** A second account: `SHOP_BASE_URL`, `SHOP_TOKEN` and so on. */
class Shop extends Context.Service<Shop, MessagingTopupService>()("Shop") {
  static readonly layer = Layer.effect(Shop, MessagingTopup).pipe(
    Layer.provide(layerConfigFrom("SHOP"))
  )
}

const program = Effect.gen(function* () {
  const account = yield* MessagingTopup
  const shop = yield* Shop
  yield* Console.log("account:", (yield* account.listDataBundles()).category.length, "bundles")
  yield* Console.log("shop:", (yield* shop.listDataBundles()).category.length, "bundles")
})

// Both share the connections, which must live as long as they do.
const services = Layer.merge(layerConfig, Shop.layer).pipe(Layer.provide(NodeTransport.layer))

await program.pipe(
  Effect.provide(services),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(error.message)
  }),
  Effect.runPromise
)
