/**
 * The resources and prompts that the conformance suites read by name.
 */
import { fromJsonSchema, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server"
import { image, png } from "./Fixtures.ts"

const strings = (...names: ReadonlyArray<string>) =>
  fromJsonSchema<Readonly<Record<string, string>>>({
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [name, { type: "string", description: `The argument ${name}` }])
    ),
    required: [...names]
  })

const said = (text: string) => ({ role: "user", content: { type: "text", text } }) as const

export const registerContent = (server: McpServer): void => {
  server.registerResource(
    "static-text",
    "test://static-text",
    { description: "Text that stays", mimeType: "text/plain" },
    ({ href: uri }) => ({
      contents: [
        { uri, mimeType: "text/plain", text: "This is the content of the static text resource." }
      ]
    })
  )
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "Bytes that stay", mimeType: "image/png" },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: "image/png", blob: png }] })
  )
  server.registerResource(
    "watched-resource",
    "test://watched-resource",
    { description: "Text that clients can subscribe to", mimeType: "text/plain" },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "Watched" }] })
  )
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data by id", mimeType: "application/json" },
    ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` })
        }
      ]
    })
  )

  server.registerPrompt("test_simple_prompt", { description: "A prompt" }, () => ({
    messages: [said("This is a simple prompt for testing.")]
  }))
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "A prompt with arguments", argsSchema: strings("arg1", "arg2") },
    ({ arg1, arg2 }) => ({
      messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)]
    })
  )
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A prompt with a resource", argsSchema: strings("resourceUri") },
    ({ resourceUri: uri = "" }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: {
              uri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing."
            }
          }
        },
        said("Please process the embedded resource above.")
      ]
    })
  )
  server.registerPrompt(
    "test_prompt_with_image",
    { description: "A prompt with an image" },
    () => ({
      messages: [{ role: "user", content: image }, said("Please analyze the image above.")]
    })
  )
}
