/**
 * Validates server.json against the schema that it names, which it downloads from the MCP registry. Only a
 * release runs it, because it needs the network.
 */
import { Ajv, type AnySchemaObject } from "ajv"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { bounded } from "./support.ts"

const entry = JSON.parse(
  readFileSync(join(bounded.cwd, "packages/mcp-server/server.json"), "utf8")
) as { readonly $schema: string }

const response = await fetch(entry.$schema, { signal: AbortSignal.timeout(30_000) })
if (!response.ok) throw new Error(`${entry.$schema} responded with ${response.status}`)
const schema = (await response.json()) as AnySchemaObject

// Not strict, because the schema has `example` as in OpenAPI. The registry does not check formats.
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false })
if (!ajv.validate(schema, entry)) {
  throw new Error(`server.json is not valid: ${ajv.errorsText(ajv.errors)}`)
}
console.log(`server.json is valid against ${entry.$schema}`)
