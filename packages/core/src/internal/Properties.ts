/**
 * The names of a struct's fields.
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

export const propertiesOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map(({ name }) => String(name))
    : []
