/**
 * Compiles the schemas of requests and responses: to write a request and to read its response then
 * takes about half the time.
 */
import * as SchemaAST from "effect/SchemaAST"
import { enable } from "effect/schema/SchemaJITCompiler"
import type { Endpoint } from "../operations/Endpoint.ts"
import { endpoints } from "./Service.ts"

/** Each schema is compiled on its first use. Has no effect on platforms that forbid code generation. */
export const compileSchemas = (): void => {
  for (const { params, payload, query, success } of Object.values<Endpoint>(endpoints)) {
    enable(success.schema.ast)
    for (const request of [params, query, payload]) {
      if (request !== undefined) enable(SchemaAST.flip(request.ast))
    }
  }
}
