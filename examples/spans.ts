import { layerConfig, MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

/** Prints each span when it ends, without a collector. */
class PrintedSpan extends Tracer.NativeSpan {
  override end(...how: Parameters<Tracer.NativeSpan["end"]>) {
    super.end(...how)
    console.log(this.name, Object.fromEntries(this.attributes))
  }
}

const printed = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({ span: (options) => new PrintedSpan(options) })
)

await Effect.flatMap(MessagingTopup, ({ listDataBundles }) => listDataBundles()).pipe(
  Effect.withSpan("shop"),
  Effect.provide([Layer.provide(layerConfig, NodeTransport.layer), printed]),
  Effect.runPromise
)
