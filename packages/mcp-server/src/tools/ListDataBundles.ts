/**
 * The tool `list_data_bundles`.
 */
import { DataBundle, MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scopes from "../Scopes.ts"
import { fit, quoted } from "../Text.ts"
import { failedRead } from "../ServiceFailure.ts"
import * as BundleSelection from "./BundleSelection.ts"
import { unreadableLine } from "./StatusRecords.ts"
import * as Tool from "./Tool.ts"

const defaultLimit = 20

const Input = Schema.Struct({
  query: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Query for the service, such as a=1&b=2. What selects a network is not documented"
    })
  ),
  text: Schema.optionalKey(Schema.String.annotate({ description: "With this text in any field" })),
  max_price: Schema.optionalKey(Schema.Finite.annotate({ description: "Up to this price" })),
  sort: Schema.optionalKey(
    Schema.Literals(["price", "name"]).annotate({
      description: "Order; default: the service's"
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: `Most to return; default ${defaultLimit}`
    })
  )
})

const Output = Schema.Struct({
  category: Schema.Array(DataBundle).annotate({ description: "Matching bundles" })
})

const line = ({ bundle_id, data_amount, name, price, validity }: DataBundle): string =>
  `- ${[bundle_id, name, price, data_amount, validity].map((text) => (text === undefined ? "–" : quoted(text))).join(", ")}`

export const listDataBundles = Tool.make({
  name: "list_data_bundles",
  title: "List data bundles",
  description:
    "Lists data bundles on offer and says what it leaves out. Free; buys nothing. Compares only prices that are plain numbers.",
  annotations: Tool.readOnly,
  scope: Scopes.messagesRead,
  input: Input,
  output: Output,
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, query, ...selection }) {
    const service = yield* MessagingTopup
    const { category, unreadable } = yield* service
      .listDataBundles(query === undefined ? {} : { query: BundleSelection.parseQuery(query) })
      .pipe(Effect.mapError(failedRead("data bundles")))
    const { matching, unpriced } = BundleSelection.select(category, selection)
    const { omitted, shown } = fit(matching, limit)
    const text = [
      `${shown.length} of ${category.length} data bundles (bundle_id, name, price, data_amount, validity):`,
      ...shown.map(line),
      ...(omitted === 0 ? [] : [`${omitted} more match and are left out: narrow the filters.`]),
      ...(unpriced === 0
        ? []
        : [
            `${unpriced} were not compared with max_price, because their price is no plain number.`
          ]),
      ...unreadableLine(unreadable)
    ]
    return {
      text: text.join("\n"),
      data: { category: shown }
    }
  })
})
