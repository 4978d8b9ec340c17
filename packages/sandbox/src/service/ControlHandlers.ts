/** The handlers of the control endpoints. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { noSuchControl, refuse, unknownMessageId } from "../http/ErrorResponses.ts"
import type { Engine } from "../Engine.ts"
import { matching } from "../kept/Messages.ts"
import { ControlApi } from "../SandboxApi.ts"

/** Less than the time after which a proxy gives up. */
const longestWait = Duration.seconds(25)

const controlHandlers = ({ changes, faults, forPrograms, messages, requests }: Engine) =>
  HttpApiBuilder.group(ControlApi, "control", (handlers) => {
    const current = Effect.sync(() => ({ fault: faults.current ?? null }))
    return handlers.handleAll({
      listMessages: ({ query: { wait_seconds = 0, ...query } }) =>
        (wait_seconds === 0
          ? Effect.void
          : forPrograms
              .until(() => messages.list(query).length > 0)
              .pipe(Effect.timeoutOption(Duration.seconds(wait_seconds)))
        ).pipe(Effect.map(() => messages.page(query, matching(query)))),
      setMessageStatus: ({ params: { message_id }, payload: { status } }) =>
        Effect.catch(messages.setStatus(message_id, status), ({ message }) =>
          message_id === ""
            ? noSuchControl
            : refuse(404, `message_id: ${message}`, unknownMessageId)
        ),
      listRequests: ({ query }) => Effect.sync(() => requests.page(query)),
      getFault: () => current,
      setFault: ({ payload }) => Effect.andThen(forPrograms.setFault(payload), current),
      clearFault: () => forPrograms.clearFault,
      // A request with a filter means some entries, and must not delete all of them.
      reset: ({ request: { url } }) =>
        url.includes("?")
          ? refuse(400, "This deletes all entries: remove the query")
          : forPrograms.reset,
      awaitChange: ({ query: { after = 0 } }) =>
        changes.after(after).pipe(
          Effect.timeoutOption(longestWait),
          Effect.map(() => ({ version: changes.version }))
        )
    })
  })

const healthHandlers = HttpApiBuilder.group(ControlApi, "health", (handlers) =>
  handlers.handle("getHealth", () => Effect.succeed({ status: "ok" as const }))
)

export const layer = (engine: Engine) =>
  HttpApiBuilder.layer(ControlApi).pipe(Layer.provide([controlHandlers(engine), healthHandlers]))
