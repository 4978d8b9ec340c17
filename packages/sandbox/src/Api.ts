/**
 * The contract of a running sandbox as an Effect `HttpApi`: the five operations of the service, and
 * the control endpoints.
 *
 * Unstable, because the Effect modules that it uses are unstable.
 *
 * @since 0.1.0
 */
import { Api } from "@messaging-topup/core/api"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { control, health } from "./control/ControlApi.ts"

export * from "./record/Model.ts"
export { MessageFilter, MessagePage, RequestPage } from "./record/Pages.ts"
export { SandboxEvent } from "./control/SandboxEvent.ts"

/**
 * The contract of the sandbox.
 *
 * @since 0.1.0
 */
export const SandboxApi = HttpApi.make("messagingTopupSandbox")
  // Only the group is added. With the whole contract, its title would become a tag in OpenAPI.
  .add(Api.groups.messagingTopup, control, health)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sandbox of the Messaging and Top-up Service",
      version: "1.0.0",
      description:
        "The five endpoints of the service, and the control endpoints of the sandbox. The control endpoints need the bearer token if the sandbox listens beyond loopback."
    })
  )
