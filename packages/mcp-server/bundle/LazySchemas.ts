/**
 * Makes each wire schema of the 2025 era when it is first used. The SDK makes all 143 at the first message,
 * which is a tenth of the start, and a connection uses a handful.
 */
import { RolldownMagicString } from "rolldown"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

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
    return { maker, constants, properties }
  }
  throw new Error("The MCP SDK has no function that makes all schemas of the 2025 era")
}

/** `lazily$` makes a value once, and `kept$` makes the property of a getter a plain one. */
const helpers = `
const lazily$ = (make) => { let made; return () => (made ??= make()); };
const kept$ = (all, name, value) => { Object.defineProperty(all, name, { value }); return value; };
`

export const withLazySchemas = (code: string): string => {
  const { program } = parseSync("sdk.mjs", code)
  const { constants, maker, properties } = makerIn(program)
  const names = new Set(constants.map(({ id }) => nameOf(id)))
  /** Where an identifier is a name, and no reference. */
  const namings = new Set(constants.map(({ id }) => id.start))
  const made = new RolldownMagicString(code)

  /** Makes the value of a property when it is first read. */
  const makeLazy = ({ key, value }: ESTree.ObjectProperty) => {
    const name = code.slice(key.start, key.end)
    const text = JSON.stringify(key.type === "Literal" ? key.value : name)
    made.update(key.start, value.start, `get ${name}() { return kept$(this, ${text}, `)
    made.appendLeft(value.end, "); }")
  }

  new Visitor({
    Identifier: (node) => {
      const isInside = node.start > maker.start && node.end < maker.end
      if (isInside && names.has(node.name) && !namings.has(node.start)) {
        made.appendLeft(node.end, "()")
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
        if (isSchema) makeLazy(property)
      }
    }
  }).visit(program)
  // After the references, which may end where these end.
  for (const property of properties) makeLazy(property)
  for (const { init } of constants) {
    if (init !== null) {
      made.appendRight(init.start, "lazily$(() => (").appendLeft(init.end, "))")
    }
  }
  return made.append(helpers).toString()
}
