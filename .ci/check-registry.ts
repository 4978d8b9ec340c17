/**
 * Validates server.json by the schema that it names, as the MCP registry has it today. It needs the
 * network, so that only a release asks for it.
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

// It has examples as OpenAPI has them, and formats that say nothing which the registry holds to.
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false })
if (!ajv.validate(schema, entry)) {
  throw new Error(`server.json is not valid: ${ajv.errorsText(ajv.errors)}`)
}
console.log(`server.json is valid by ${entry.$schema}`)
