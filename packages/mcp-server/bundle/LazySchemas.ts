/**
 * Makes each wire schema of the 2025 era when it is first used. The SDK makes all 143 at the first message,
 * which is a tenth of the start, and a connection uses a handful.
 */
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const applied = (code: string, edits: ReadonlyArray<Edit>): string => {
  let made = ""
  let at = 0
  for (const { end, start, text } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    made += code.slice(at, start) + text
    at = end
  }
  return made + code.slice(at)
}

const before = ({ start }: ESTree.Span, text: string): Edit => ({ start, end: start, text })
const after = ({ end }: ESTree.Span, text: string): Edit => ({ start: end, end, text })

/** Only the schemas of this era have it. */
const markOfEra = "CallToolResultWireSchema"

const nameOf = (node: ESTree.Node | null | undefined): string =>
  node?.type === "Identifier" ? node.name : ""

const isProperty = (node: ESTree.ObjectPropertyKind): node is ESTree.ObjectProperty =>
  node.type === "Property"

/** The function that makes all schemas: its constants, and the object that it returns. */
const makerIn = (program: ESTree.Program) => {
  for (const maker of program.body) {
    if (maker.type !== "FunctionDeclaration") continue
    const statements = maker.body?.body ?? []
    const last = statements.at(-1)
    if (last?.type !== "ReturnStatement" || last.argument?.type !== "ObjectExpression") continue
    const properties = last.argument.properties.filter(isProperty)
    if (!properties.some(({ key }) => nameOf(key) === markOfEra)) continue
    const constants = statements.flatMap((statement) =>
      statement.type === "VariableDeclaration" ? statement.declarations : []
    )
    return { maker, constants, properties, last }
  }
  throw new Error("The MCP SDK has no function that makes all schemas of the 2025 era")
}

/** `lazily$` makes a value once, and `kept$` makes the property of a getter a plain one. */
const helpers = `
const lazily$ = (make) => { let made; return () => (made ??= make()); };
const kept$ = (all, name, value) => { Object.defineProperty(all, name, { value }); return value; };
`

/** Makes the value of a property when it is first read. */
const getter = (code: string, { key, value }: ESTree.ObjectProperty): ReadonlyArray<Edit> => {
  const name = code.slice(key.start, key.end)
  const text = JSON.stringify(key.type === "Literal" ? key.value : name)
  return [
    { start: key.start, end: value.start, text: `get ${name}() { return kept$(this, ${text}, ` },
    after(value, "); }")
  ]
}

export const withLazySchemas = (code: string): string => {
  const { program } = parseSync("sdk.mjs", code)
  const { constants, maker, properties } = makerIn(program)
  const names = new Set(constants.map(({ id }) => nameOf(id)))
  /** Where an identifier is a name, and no reference. */
  const namings = new Set(constants.map(({ id }) => id.start))
  const edits = new Array<Edit>()
  new Visitor({
    Identifier: (node) => {
      const isInside = node.start > maker.start && node.end < maker.end
      if (isInside && names.has(node.name) && !namings.has(node.start)) {
        edits.push(after(node, "()"))
      }
    },
    MemberExpression: ({ computed, property }) => {
      if (!computed) namings.add(property.start)
    },
    // The tables of the schemas by their method read all of them.
    ObjectExpression: (object) => {
      for (const property of object.properties.filter(isProperty)) {
        const { computed, key, shorthand, value } = property
        if (!shorthand && !computed) namings.add(key.start)
        const isSchema = value.type === "MemberExpression" && nameOf(value.object) === "s"
        if (isSchema) edits.push(...getter(code, property))
      }
    }
  }).visit(program)
  // After the references, which may end where these end.
  edits.push(...properties.flatMap((property) => getter(code, property)))
  for (const { init } of constants) {
    if (init !== null) edits.push(before(init, "lazily$(() => ("), after(init, "))"))
  }
  return applied(code, edits) + helpers
}
