/**
 * Compiles the schema of the bundle list, which can be long. All other responses are short, and
 * Effect's interpreter reads them in microseconds.
 */
import { enable } from "effect/schema/SchemaJITCompiler"
import { ListDataBundlesResponse } from "../operations/ListDataBundles.ts"

/** Has no effect on platforms that forbid code generation. */
export const compileSchemas = (): void => enable(ListDataBundlesResponse.ast)
