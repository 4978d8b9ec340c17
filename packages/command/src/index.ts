/** How the programs of this workspace read options, show, stop and end. */
export * from "./Invocation.ts"
export * from "./Option.ts"
export * from "./Parse.ts"
export * from "./Program.ts"
export * from "./Terminal.ts"
