/** Calls the `webhook_url` of a message when its status changes, if a tester gave the body. */
import { isLoopbackHost } from "@messaging-topup/core/internal"
import type { StoredMessage } from "../Types.ts"

/** Only on this machine: a list of real URLs must not be called by a test. */
export const isCallable = (url: string): boolean =>
  URL.canParse(url) && isLoopbackHost(new URL(url).hostname)

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const timeoutMillis = 10_000

/** The service does not document the body, nor whether it calls again: each change is one call. */
export const caller =
  (template: string | undefined) =>
  ({ message_id, recipient, status, webhook_url: url = "" }: StoredMessage): void => {
    if (template === undefined || !isCallable(url)) return
    const values = new Map(Object.entries({ message_id, recipient, status }))
    const body = template.replaceAll(/\{(\w+)\}/g, (given, name: string) =>
      inJson(values.get(name) ?? given)
    )
    const headers = { "content-type": "application/json" }
    const signal = AbortSignal.timeout(timeoutMillis)
    fetch(url, { method: "POST", headers, body, redirect: "manual", signal }).catch(() => {})
  }
