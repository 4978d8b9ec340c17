/**
 * Only the preview of a text.
 */
import { SmsText } from "@messaging-topup/core"

export const preview = SmsText.preview
