/**
 * Changes the code of the MCP SDK, and of zod in it, in our bundle, where it costs time and this server gains nothing from it.
 *
 * The behaviour stays the same. Each change names the code that it replaces, and the build fails if a new
 * version of the SDK has other code: then look whether the change is still needed.
 */
import { type Plugin, RolldownMagicString } from "rolldown"
import { join } from "node:path"
import { parseAst } from "rolldown/parseAst"
import { withLazySchemas } from "./LazySchemas.ts"

/** Code to find, exactly once, and what replaces it. */
type Change = readonly [found: string, replacement: string]

/**
 * A table of all types of the protocol, for programs that check values themselves. Without it, the bundler
 * leaves out most of the 169 schemas, which take a fifth of the start to make.
 */
const withoutTypeTable: ReadonlyArray<Change> = [
  ["for (const key of SPEC_SCHEMA_KEYS) register(key, schemas_exports[key]);", ""],
  ["for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);", ""]
]

/**
 * The SDK tries each message against one schema after the other. zod takes microseconds to say no, and
 * makes an error with all reasons. A value without a field that the schema requires is no match either.
 */
const guard = (name: string, schema: string, required: string): Change => [
  `const ${name} = (value) => ${schema}.safeParse(value).success;`,
  `const ${name} = (value) => typeof value === "object" && value !== null && ${required} && ${schema}.safeParse(value).success;`
]

const quickGuards: ReadonlyArray<Change> = [
  guard("isJSONRPCRequest", "JSONRPCRequestSchema", '"method" in value && "id" in value'),
  guard("isJSONRPCNotification", "JSONRPCNotificationSchema", '"method" in value'),
  guard("isJSONRPCResultResponse", "JSONRPCResultResponseSchema", '"result" in value'),
  guard("isJSONRPCErrorResponse", "JSONRPCErrorResponseSchema", '"error" in value'),
  guard("isInitializeRequest", "InitializeRequestSchema", 'value.method === "initialize"')
]

/**
 * zod compiles a schema of an object before its first use, which pays for itself only later. A process that
 * lives for a few calls compiles nothing.
 */
const lateCompilation: ReadonlyArray<Change> = [
  ["    let fastpass;\n", "    let fastpass;\n    let parses = 0;\n"],
  [
    "            if (!fastpass)\n                fastpass = generateFastpass(def.shape);\n",
    "            if (!fastpass) {\n                if (++parses < 10)\n                    return superParse(payload, ctx);\n                fastpass = generateFastpass(def.shape);\n            }\n"
  ]
]

/**
 * A server of one request is closed when it has sent the response. An error, with its stack, is made only
 * if somebody waits. The handler does not: its result is the response.
 */
const closedQuietly: ReadonlyArray<Change> = [
  [
    "await capturedTransport?.send(response);",
    "if (this._requestHandlerAbortControllers.get(request.id) === abortController) this._requestHandlerAbortControllers.delete(request.id);\n\t\t\tawait capturedTransport?.send(response);"
  ],
  [
    'const error = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");\n\t\tthis._transport = void 0;',
    'const error = responseHandlers.size + requestHandlerAbortControllers.size === 0 ? void 0 : new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");\n\t\tthis._transport = void 0;'
  ]
]

const jsonResponse = join(import.meta.dirname, "../src/serve/http/JsonResponse.ts")

const lightResponses: ReadonlyArray<Change> = [
  [
    'Response.json(message, {\n\t\t\t\tstatus: 200,\n\t\t\t\theaders: { "Content-Type": "application/json" }\n\t\t\t})',
    "new JsonResponse(message)"
  ]
]

const applied = (code: string, [found, replacement]: Change): string => {
  const [before, after, ...more] = code.split(found)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`This code is not there once, see SdkChanges.ts: ${found}`)
  }
  return before + replacement + after
}

/** Lets the bundler leave out a schema that nothing uses: it cannot know that making one changes nothing. */
const markedPure = (code: string): string => {
  const marked = new RolldownMagicString(code)
  for (const statement of parseAst(code).body) {
    if (statement.type !== "VariableDeclaration") continue
    const init = statement.declarations[0]?.init
    if (init?.type !== "CallExpression") continue
    marked.appendRight(init.start, "/* @__PURE__ */ (() => ").appendLeft(init.end, ")()")
  }
  return marked.toString()
}

interface Edited {
  readonly file: RegExp
  readonly edit: (code: string) => string
}

const edited: ReadonlyArray<Edited> = [
  {
    file: /@modelcontextprotocol\/server\/dist\/src-[^/]*\.mjs$/,
    edit: (code) =>
      withLazySchemas([...withoutTypeTable, ...quickGuards, ...closedQuietly].reduce(applied, code))
  },
  {
    file: /@modelcontextprotocol\/server\/dist\/mcp-[^/]*\.mjs$/,
    edit: (code) =>
      `import { JsonResponse } from ${JSON.stringify(jsonResponse)};\n${lightResponses.reduce(applied, code)}`
  },
  {
    file: /\/zod\/v4\/core\/schemas\.js$/,
    edit: (code) => lateCompilation.reduce(applied, code)
  },
  { file: /@modelcontextprotocol\/core\/dist\/(schemas|auth)-[^/]*\.mjs$/, edit: markedPure }
]

/** Returns the changed code of a file, or nothing if the file is not changed. */
export const changed = (id: string, code: string): string | undefined =>
  edited.find(({ file }) => file.test(id))?.edit(code)

export const sdkChanges = (): Plugin => {
  const left = new Set(edited)
  return {
    name: "sdk-changes",
    transform: (code, id) => {
      for (const each of left) if (each.file.test(id)) left.delete(each)
      const made = changed(id, code)
      return made === undefined ? null : { code: made, map: null }
    },
    buildEnd: (failure) => {
      const [missing] = left
      if (failure === undefined && missing !== undefined) {
        throw new Error(`No file matches ${missing.file.source}: see SdkChanges.ts`)
      }
    }
  }
}
