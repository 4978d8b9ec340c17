/**
 * A value from a request, as plain text. It cannot change the writing direction of the text around
 * it.
 */
export const Value = ({ text }: { text: string }) => <bdi class="value">{text}</bdi>
