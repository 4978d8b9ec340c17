/** A client that shows the approval card, and has no form to ask a person. The test is the page. */
import { mimeType } from "@messaging-topup/mcp-server/src/card/Card.ts"
import type { ClientCapabilities, Transport } from "@modelcontextprotocol/client"
import type * as Duration from "effect/Duration"
import { passTime, readingTime } from "./Clock.ts"
import { type Card, connect } from "./GuardedServer.ts"
import type { Era } from "./RawStdio.ts"

export const showsCards: ClientCapabilities = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [mimeType] } }
}

export const connectCards = async (
  era: Era,
  transport: Transport,
  capabilities: ClientCapabilities = showsCards
) => {
  const connected = await connect(era, transport, { capabilities })
  return {
    ...connected,
    /** Decides as the page does, after the time that a person reads. */
    decide: ({ call, state }: Card, action: string, reads: Duration.Input = readingTime) => {
      passTime(reads)
      return connected.call("decide_sms", { ...call, state, action })
    }
  }
}
