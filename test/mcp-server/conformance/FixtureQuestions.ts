/**
 * The tools and the prompt of the conformance suites that ask the client for input.
 */
import {
  type ElicitRequestFormParams,
  fromJsonSchema,
  inputRequired,
  type InputRequests,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext
} from "@modelcontextprotocol/server"
import { capabilitiesOf, textResult } from "./Fixtures.ts"

type Fields = ElicitRequestFormParams["requestedSchema"]["properties"]

const form = (message: string, properties: Fields) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required: Object.keys(properties) }
  })

const sample = (text: string, maxTokens = 100) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens
  })

const views = ({ mcpReq }: ServerContext, requests: InputRequests) =>
  Object.keys(requests).map((key) => inputResponse(mcpReq.inputResponses, key))

const choices = ["option1", "option2", "option3"]
const titled = ["First Option", "Second Option", "Third Option"].map((title, index) => ({
  const: `value${index + 1}`,
  title
}))

const defaults: Fields = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true }
}

const enums: Fields = {
  untitledSingle: { type: "string", enum: choices },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"]
  },
  untitledMulti: { type: "array", items: { type: "string", enum: choices } },
  titledMulti: { type: "array", items: { anyOf: titled } }
}

const oneString = (name: string) =>
  fromJsonSchema<Readonly<Record<string, string>>>({
    type: "object",
    properties: { [name]: { type: "string" } },
    required: [name]
  })

const nameForm = () => form("What is your name?", { name: { type: "string" } })

/** Each asks for all its inputs, again while one is missing, and returns what it received. */
const questions: Readonly<Record<string, () => InputRequests>> = {
  test_elicitation_sep1034_defaults: () => ({ response: form("Please check", defaults) }),
  test_elicitation_sep1330_enums: () => ({ response: form("Please choose", enums) }),
  test_input_required_result_elicitation: () => ({ user_name: nameForm() }),
  test_input_required_result_sampling: () => ({
    capital_question: sample("What is the capital of France?")
  }),
  test_input_required_result_list_roots: () => ({ client_roots: inputRequired.listRoots() }),
  // The SDK refuses to ask a client that did not declare the sampling capability.
  test_missing_capability: () => ({ greeting: sample("Generate a greeting") }),
  test_streaming_elicitation: () => ({ user_name: nameForm() })
}

const told = (view: ReturnType<typeof inputResponse>): string => {
  switch (view.kind) {
    case "elicit":
      return `action=${view.action}, content=${JSON.stringify(view.content ?? {})}`
    case "sampling":
      return JSON.stringify(view.result.content)
    case "roots":
      return JSON.stringify(view.roots)
    case "missing":
      return "nothing"
  }
}

/** Each returns what it received. Some send a state, which the client must return unchanged. */
const registerQuestions = (server: McpServer) => {
  for (const [name, requests] of Object.entries(questions)) {
    server.registerTool(name, { description: "Asks, and repeats the response" }, (context) => {
      const inputRequests = requests()
      const responses = views(context, inputRequests)
      return responses.some(({ kind }) => kind === "missing")
        ? inputRequired({ inputRequests })
        : textResult(`Elicitation completed: ${responses.map(told).join(" ")}`)
    })
  }
  server.registerTool(
    "test_elicitation",
    { description: "Asks with the given words", inputSchema: oneString("message") },
    ({ message = "" }, { mcpReq }) => {
      const view = inputResponse(mcpReq.inputResponses, "response")
      const fields: Fields = {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" }
      }
      return view.kind === "missing"
        ? inputRequired({ inputRequests: { response: form(message, fields) } })
        : textResult(`User response: ${told(view)}`)
    }
  )
  server.registerTool(
    "test_sampling",
    { description: "Samples with the given words", inputSchema: oneString("prompt") },
    ({ prompt = "" }, { mcpReq }) => {
      const view = inputResponse(mcpReq.inputResponses, "response")
      return view.kind === "missing"
        ? inputRequired({ inputRequests: { response: sample(prompt) } })
        : textResult(`LLM response: ${told(view)}`)
    }
  )
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks only for what the client can do" },
    (context) => {
      const can = capabilitiesOf(context)
      const inputRequests = {
        ...(can.elicitation === undefined ? {} : { user_name: nameForm() }),
        ...(can.sampling === undefined ? {} : { greeting: sample("Generate a greeting") })
      }
      return context.mcpReq.inputResponses === undefined && Object.keys(inputRequests).length > 0
        ? inputRequired({ inputRequests })
        : textResult("Asked")
    }
  )
}

/** Rounds of questions. The client must return the state of each round with the next call. */
const rounds: Readonly<Record<string, ReadonlyArray<() => InputRequests>>> = {
  test_input_required_result_request_state: [
    () => ({ confirm: form("Please confirm", { ok: { type: "boolean" } }) })
  ],
  test_input_required_result_tampered_state: [
    () => ({ confirm: form("Please confirm", { ok: { type: "boolean" } }) })
  ],
  test_input_required_result_multiple_inputs: [
    () => ({
      user_name: nameForm(),
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots()
    })
  ],
  test_input_required_result_multi_round: [
    () => ({ step1: form("Step 1: What is your name?", { name: { type: "string" } }) }),
    () => ({ step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) })
  ]
}

const registerRounds = (server: McpServer, codec: RequestStateCodec<number>) => {
  for (const [name, steps] of Object.entries(rounds)) {
    server.registerTool(name, { description: "Asks in rounds" }, async (context) => {
      const asked = context.mcpReq.requestState<number>() ?? 0
      const next = steps[asked]
      return next === undefined
        ? textResult("state-ok")
        : inputRequired({
            inputRequests: next(),
            requestState: await codec.mint(asked + 1, context)
          })
    })
  }
}

const registerPrompt = (server: McpServer) => {
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks before it prompts" },
    ({ mcpReq }) => {
      const view = inputResponse(mcpReq.inputResponses, "user_context")
      return view.kind === "missing"
        ? inputRequired({
            inputRequests: {
              user_context: form("What context should the prompt use?", {
                context: { type: "string" }
              })
            }
          })
        : { messages: [{ role: "user", content: { type: "text", text: told(view) } }] }
    }
  )
}

export const registerAsking = (server: McpServer, codec: RequestStateCodec<number>): void => {
  registerQuestions(server)
  registerRounds(server, codec)
  registerPrompt(server)
}
