/**
 * What the guards say when they stop a send.
 */
import { unknownAdvice } from "../internal/Explain.ts"
import { Refusal } from "../Refusal.ts"

export const notOnList = new Refusal({
  code: "recipient_not_allowed",
  text: "The SMS was not sent: the recipient is not on the list of allowed recipients of this server. Do not try another spelling or number. The person who runs the server can allow it with --allow-recipients (MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS)."
})

export const tooLong = (segments: number, maxSegments: number): Refusal =>
  new Refusal({
    code: "too_many_segments",
    text: `The SMS was not sent: its text takes ${segments} segments, and this server allows ${maxSegments}. Shorten the text. The person who runs the server can allow more with --max-segments (MESSAGING_TOPUP_MCP_MAX_SEGMENTS).`,
    details: { segments, max_segments: maxSegments }
  })

export const hourIsFull = (sendsPerHour: number, retryAfterSeconds: number): Refusal =>
  new Refusal({
    code: "hourly_cap_reached",
    text: `The SMS was not sent: this server sends at most ${sendsPerHour} SMS in 60 minutes, and there is no room before ${Math.ceil(retryAfterSeconds / 60)} min from now. Tell the person. The person who runs the server can allow more with --max-sends-per-hour (MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR).`,
    details: { max_sends_per_hour: sendsPerHour, retry_after_seconds: retryAfterSeconds }
  })

export const unknownNotResent = new Refusal({
  code: "unknown_not_resent",
  text: `The SMS was not sent by this call: an earlier call sent the same SMS to the same recipient, and it is unknown whether that one went out. ${unknownAdvice}`,
  details: { send_outcome: "unknown" }
})

export const approvalUsed = new Refusal({
  code: "approval_used",
  text: "The SMS was not sent by this call: its approval was used before, and the call that used it may have sent the SMS. Do not call again unless the person asks for it."
})

export const cancelled = new Refusal({
  code: "cancelled",
  text: "The SMS was not sent: the call was cancelled before anything left.",
  details: { send_outcome: "not_sent" }
})

export const stopped = new Refusal({
  code: "stopping",
  text: "The SMS was not sent: this server is stopping. Try again when it runs again."
})
