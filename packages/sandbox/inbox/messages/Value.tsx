/** A value from the wire: it is text, whatever it says, and turns the direction of nothing else. */
export const Value = ({ text }: { text: string }) => <bdi class="value">{text}</bdi>
