/**
 * Stands in the bundle for `@modelcontextprotocol/server/_shims`, which brings Ajv.
 *
 * The SDK makes a validator for each server and asks it only where a handler calls `elicitInput` or
 * makes a schema with `fromJsonSchema`. Nothing here does: tools check with Effect's schemas.
 */
export { default as process } from "node:process"

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This bundle has no JSON Schema validator")
  }
}
