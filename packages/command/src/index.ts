/**
 * How the commands of the sandbox, of campaigns and of the MCP server declare their options, bind a port and
 * end with npx. It is here because the other two packages depend on this one anyway, and it is published for
 * them: it is no API.
 */
export * from "./Npx.ts"
export * from "./Option.ts"
export * from "./Parse.ts"
