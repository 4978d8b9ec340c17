/**
 * The tools that the conformance suites call by name, save those that ask for input.
 */
import { fromJsonSchema, type McpServer } from "@modelcontextprotocol/server"
import { image, textResult, wav } from "./Fixtures.ts"

/** Uses all JSON Schema keywords that the server must pass to clients unchanged. */
const everyKeyword = fromJsonSchema({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
})

// `x-mcp-header` is a keyword of MCP, which the type of a JSON Schema does not have.
const region: object = { type: "string", "x-mcp-header": "Region" }

const mirrored = fromJsonSchema({ type: "object", properties: { region } })

export const registerTools = (server: McpServer): void => {
  server.registerTool("test_simple_text", { description: "Returns text" }, () =>
    textResult("This is a simple text response for testing.")
  )
  server.registerTool("test_image_content", { description: "Returns an image" }, () => ({
    content: [image]
  }))
  server.registerTool("test_audio_content", { description: "Returns sound" }, () => ({
    content: [{ type: "audio", data: wav, mimeType: "audio/wav" }]
  }))
  server.registerTool("test_embedded_resource", { description: "Returns a resource" }, () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content."
        }
      }
    ]
  }))
  server.registerTool(
    "test_multiple_content_types",
    { description: "Returns text, an image and a resource" },
    () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 })
          }
        }
      ]
    })
  )
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing")
  })
  for (const name of ["test_tool_with_logging", "test_logging_tool"]) {
    server.registerTool(name, { description: "Logs three times" }, async ({ mcpReq }) => {
      for (const data of [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed"
      ]) {
        // The suite still tests the capability that the newest revision deprecates.
        // oxlint-disable-next-line typescript/no-deprecated
        await mcpReq.log("info", data)
      }
      return textResult("Logged")
    })
  }
  server.registerTool(
    "test_tool_with_progress",
    { description: "Reports progress three times" },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken !== undefined) {
        for (const progress of [0, 50, 100]) {
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 }
          })
        }
      }
      return textResult("Done")
    }
  )
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Has every keyword in its schema", inputSchema: everyKeyword },
    () => textResult("ok")
  )
  server.registerTool(
    "test_mirrored_argument",
    { description: "Has an argument that is a header too", inputSchema: mirrored },
    () => textResult("ok")
  )
}
