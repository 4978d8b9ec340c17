/**
 * A text argument that is not empty.
 */
import * as Schema from "effect/Schema"

export const filled = (text: Schema.String): Schema.String => text.check(Schema.isMinLength(1))
