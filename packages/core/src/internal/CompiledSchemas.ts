/**
 * The one schema that is compiled. A list of bundles can be long; all other responses are short, and
 * Effect's interpreter reads them in microseconds.
 */
import { enable } from "effect/schema/SchemaJITCompiler"
import { ListDataBundlesResponse } from "../operations/ListDataBundles.ts"

/** Where code generation is forbidden, it changes nothing. */
export const compileSchemas = (): void => enable(ListDataBundlesResponse.ast)
