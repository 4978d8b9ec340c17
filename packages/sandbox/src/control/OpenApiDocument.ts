/**
 * The contract of the sandbox as an OpenAPI document.
 */
import { documentOf } from "@messaging-topup/core/openapi"
import { SandboxApi } from "../Api.ts"

export const document: object = documentOf(SandboxApi)
