/**
 * Replaces `@modelcontextprotocol/server/_shims` in the bundle, which would include Ajv.
 *
 * The SDK makes a validator for each server, but uses it only if a handler calls `elicitInput` or
 * makes a schema with `fromJsonSchema`. No handler here does: tools check with Effect's schemas.
 */
export { default as process } from "node:process"

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("This bundle has no JSON Schema validator")
  }
}
