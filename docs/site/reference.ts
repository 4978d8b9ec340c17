/**
 * Writes the API reference from the docstrings, with one page per public export. It fails if an export has no
 * docstring, or if a link in a docstring is broken.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  Application,
  type Context,
  Converter,
  DeclarationReflection,
  ReflectionKind,
  type TypeDocOptions,
  UnknownType
} from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"

const root = fileURLToPath(new URL("../../", import.meta.url))

const packages = ["core", "journal", "campaign", "sandbox", "mcp-server"]

type Target = string | null | { readonly [condition: string]: string }

interface Manifest {
  readonly name: string
  readonly exports: { readonly [entry: string]: Target }
}

const longestType = 2000

/** The source of each public module, by its import name. */
const modules = new Map(
  packages.flatMap((folder) => {
    const manifest: Manifest = JSON.parse(
      readFileSync(join(root, "packages", folder, "package.json"), "utf8")
    )
    return Object.entries(manifest.exports).flatMap(([entry, target]) => {
      const source = typeof target === "object" ? target?.["node"] : target
      if (source === undefined || !/^\.\/src\/[^*]+\.ts$/.test(source)) return []
      return [[manifest.name + entry.slice(1), join("packages", folder, source)] as const]
    })
  })
)

const nameOf = new Map(
  [...modules].map(([name, source]) => [source.replace(/^packages\/|(\/index)?\.ts$/g, ""), name])
)

/** Gives each module its import name. typedoc names it by its path. */
const nameModules = ({ project }: Context): void => {
  for (const module of project.children ?? []) {
    const name = nameOf.get(module.name)
    if (name === undefined) throw new Error(`No package exports ${module.name}`)
    module.name = name
  }
}

/**
 * Lists the methods of a service as members of its page. typedoc sees them only in a type argument of the base
 * class that Effect generates. The base class itself is removed.
 */
const showServices = ({ project }: Context): void => {
  for (const each of project.getReflectionsByKind(ReflectionKind.Class)) {
    if (!(each instanceof DeclarationReflection)) continue
    const [base] = each.extendedTypes ?? []
    delete each.extendedTypes
    if (base?.type !== "reference" || base.name !== "Shape") continue
    for (const member of each.getChildrenByKind(ReflectionKind.Constructor)) {
      project.removeReflection(member)
    }
    const [, shape] = base.typeArguments ?? []
    if (shape?.type === "reference") each.extendedTypes = [shape]
    if (shape?.type !== "reflection") continue
    for (const member of shape.declaration.children ?? []) {
      member.parent = each
      each.addChild(member)
    }
  }
}

/** Removes the origin of a member, which is only the name of a schema's base class. */
const forgetOrigins = ({ project }: Context): void => {
  for (const reflection of Object.values(project.reflections)) {
    if (!reflection.isDeclaration() && !reflection.isSignature()) continue
    delete reflection.inheritedFrom
  }
}

/** Replaces an alias of a schema's type, such as `typeof SendSmsError.Type`, with the type itself. */
const resolveAliases = (context: Context): void => {
  context.setActiveProgram(context.programs[0])
  for (const alias of context.project.getReflectionsByKind(ReflectionKind.TypeAlias)) {
    if (!(alias instanceof DeclarationReflection) || alias.type?.type !== "query") continue
    const symbol = context.getSymbolFromReflection(alias)
    if (symbol === undefined) continue
    const type = context.checker.getDeclaredTypeOfSymbol(symbol)
    alias.type = context.converter.convertType(context, type)
  }
}

/** Shortens very long types. The inferred types of the contracts as `HttpApi` fill several screens. */
const leaveOutLongTypes = ({ project }: Context): void => {
  for (const variable of project.getReflectionsByKind(ReflectionKind.Variable)) {
    if (!(variable instanceof DeclarationReflection) || variable.type === undefined) continue
    if (variable.type.toString().length > longestType) variable.type = new UnknownType("…")
  }
}

const options = {
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
  entryPoints: [...modules.values()].map((source) => join(root, source)),
  tsconfig: join(root, "docs/site/tsconfig.json"),
  out: join(root, "docs/reference"),
  docsRoot: root,
  name: "API reference",
  readme: "none",
  excludeExternals: true,
  excludeInternal: true,
  disableSources: true,
  logLevel: "Warn",
  validation: { notDocumented: true, notExported: false, invalidLink: true },
  packagesRequiringDocumentation: packages.map((folder) => `@messaging-topup/${folder}`),
  requiredToBeDocumented: ["Class", "Interface", "Function", "Variable", "TypeAlias", "Namespace"],
  // Functions come first, because programs call them.
  groupOrder: ["Functions", "Interfaces", "Classes", "Type Aliases", "Variables", "*"],
  entryFileName: "index",
  useCodeBlocks: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: "table"
} satisfies Partial<TypeDocOptions & PluginOptions & { readonly docsRoot: string }>

/** Writes to docs/reference, which the site shows and git ignores. */
export const writeReference = async (): Promise<void> => {
  const app = await Application.bootstrapWithPlugins(options)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, resolveAliases)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, nameModules)
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, showServices)
  app.converter.on(Converter.EVENT_RESOLVE_END, forgetOrigins)
  app.converter.on(Converter.EVENT_RESOLVE_END, leaveOutLongTypes)
  const project = await app.convert()
  if (project === undefined) throw new Error("typedoc could not read the sources")
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error("The API reference is not complete")
  }
}
