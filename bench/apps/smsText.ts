/**
 * The preview alone.
 */
import { SmsText } from "@messaging-topup/core"

export const preview = SmsText.preview
