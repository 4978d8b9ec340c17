/**
 * What an assistant reads once, when it connects. Half of the hosts drop it, so what must hold stands in the tool that
 * it concerns, with the values of today. It may come from another process than results: over stdio, a client may start
 * one only to read this. So it has nothing that differs by process.
 */
import type { Rules } from "./send/Rules.ts"
import { sentences } from "./Sentences.ts"

const about = (canSend: boolean) =>
  `This server ${canSend ? "sends SMS and reads" : "reads"} SMS, airtime and data bundles of the Messaging and Top-up Service. It cannot buy airtime or data, show a balance or what an SMS costs, or cancel an SMS. When the person asks whether an SMS arrived, quote its status and say what it plausibly means, marked as your own reading.`

const outcomes =
  "Every result of a send says its outcome: sent; not-sent, which may be sent again when the reason is gone; or unknown, which only a person decides about."

export const instructions = ({ canSend }: Rules): string =>
  sentences(
    about(canSend),
    canSend
      ? outcomes
      : "It cannot send: --read-only turns that off, and only the person who runs the server can change it."
  )
