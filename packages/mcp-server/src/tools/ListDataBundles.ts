/** The tool `list_data_bundles`. */
import { type ListDataBundlesQuery, MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { reading } from "../send/ServiceFailure.ts"
import { plural } from "../Sentences.ts"
import { defaultLimit, maxRecords } from "./ToolSchema.ts"
import * as Tool from "./Tool.ts"
import { listed, unreadableReason } from "./ToolResult.ts"

/** Parses a query string. A repeated parameter becomes a list. */
const parseQuery = (query: string): ListDataBundlesQuery => {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)])
  )
}

const isPlainNumber = (price: string): boolean => /^[\s\d.,]+$/.test(price)

/** The service gives no currency: some of its prices name one, and others are numbers alone. */
const aboutPrices = (prices: ReadonlyArray<string>): string => {
  const plain = prices.filter(isPlainNumber).length
  return plain === 0
    ? "Prices are the service's own text: never compare two currencies."
    : `The service gives no currency: ${plain} of these prices ${plain === 1 ? "is a plain number" : "are plain numbers"}. Compare plain numbers only with each other, and never two currencies.`
}

export const listDataBundles = Tool.make({
  name: "list_data_bundles",
  title: "List data bundles",
  description: `Lists data bundles on offer. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Schema.Struct({
    query: Schema.optionalKey(
      Schema.String.annotate({
        description: "Undocumented: leave it out"
      })
    ),
    limit: maxRecords
  }),
  output: { total: "integer", category: "array" },
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, query }) {
    const service = yield* MessagingTopup
    const { category, unreadable = 0 } = yield* service
      .listDataBundles(query === undefined ? {} : { query: parseQuery(query) })
      .pipe(reading("data bundles"))
    const total = category.length + unreadable
    const list = listed(
      { category: category.slice(0, limit) },
      {
        "beyond the limit": Math.max(0, category.length - limit),
        [unreadableReason]: unreadable
      }
    )
    const shown = category.slice(0, list["category"]?.length)
    return {
      message: `The service has ${plural(total, "data bundle")}; ${shown.length} listed.`,
      next: aboutPrices(shown.flatMap(({ price }) => price ?? [])),
      total,
      ...list
    }
  })
})
