/**
 * The envelope of status records.
 */
import * as Schema from "effect/Schema"

/**
 * A text that may be missing, because the description does not say that the service always sends
 * it.
 */
export const optionalText = Schema.optionalKey(Schema.String)

/** Source: service description §4.2, §4.3 */
export const envelope = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    success: Schema.optionalKey(Schema.Boolean),
    status: Schema.optionalKey(Schema.Int),
    message: optionalText,
    data: Schema.Array(item)
  })
