/** Texts of SMS as a terminal shows them. */
import { visible } from "@messaging-topup/command"

const maxQuoted = 300

/** Quotes an SMS text for a terminal. A backslash that was typed is shown as two: a line break is shown as `\n`. */
export const quotedText = (text: string): string => {
  // Excel ends a line with both characters.
  const shown = visible(text.replaceAll("\\", "\\\\").replaceAll("\r\n", "\n"))
  return `"${shown.length > maxQuoted ? `${shown.slice(0, maxQuoted)}…` : shown}"`
}
