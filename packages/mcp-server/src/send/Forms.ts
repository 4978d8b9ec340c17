/**
 * The forms of an SMS, which stay different: what looks the same goes out no second time without a person, and an
 * approval is one of the exact request. The journal makes a third one, of text and number alone, as it does for lists.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import type { SendJournal } from "@messaging-topup/journal/internal"
import { normalized, withoutInvisible } from "../Visible.ts"

/** Removes what a person cannot see, so that two texts that look the same are equal. */
const visibleText = (text: string): string =>
  normalized(
    withoutInvisible(text.replace(/[\s\u2800]+/gu, " "))
      .replace(/ {2,}/g, " ")
      .trim(),
    "NFC"
  )

export interface Forms {
  /**
   * Wide: by it, the journal knows that two sends are the same SMS. It is a keyed digest, also in the log: without the
   * key, nobody can find a phone number by trying all numbers.
   */
  readonly key: string
  /** What a person approves, in every detail; the key has the service, too. */
  readonly exact: ReadonlyArray<string | null>
}

/** Makes the forms of the SMS of one caller to one service. */
export const formsOf =
  (digest: (typeof SendJournal.Service)["digest"], service: string, caller: string) =>
  (request: SendSmsRequest): Forms => {
    const { message, recipient, scheduled_time, sender_id } = request
    const wide = [
      "message",
      service,
      caller,
      Phone.wideForm(recipient),
      visibleText(message),
      visibleText(sender_id ?? ""),
      visibleText(scheduled_time ?? "")
    ]
    return {
      key: digest(wide),
      exact: [recipient, message, sender_id ?? null, scheduled_time ?? null]
    }
  }
