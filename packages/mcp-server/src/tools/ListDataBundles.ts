/**
 * The tool `list_data_bundles`.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { fit, leftOut, tooLongReason, unreadableReason } from "./ToolResult.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import { plural, quoted, sentences } from "../send/Text.ts"
import * as BundleSelection from "./BundleSelection.ts"
import { defaultLimit, maxRecords } from "./TextArgument.ts"
import * as Tool from "./Tool.ts"
import * as ToolSchema from "./ToolSchema.ts"

const Input = Schema.Struct({
  query: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Query for the service, such as a=1&b=2. What selects a network is not documented"
    })
  ),
  text: Schema.optionalKey(Schema.String.annotate({ description: "In any field" })),
  max_price: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Up to this number, in every currency" })
  ),
  min_data_mb: Schema.optionalKey(Schema.Finite.annotate({ description: "1 GB is 1024" })),
  sort: Schema.optionalKey(
    Schema.Literals(["price", "name"]).annotate({
      description: "Order; default: the service's"
    })
  ),
  limit: maxRecords
})

const Output = Schema.Struct({
  total: Schema.Int,
  matching: Schema.Int,
  returned: Schema.Int,
  category: ToolSchema.Records
})

/** More currencies are a list of texts of the service, and not of currencies. */
const maxCurrencies = 5

const groupsNotice = ({ currencies }: BundleSelection.Selected): string => {
  if (currencies.size < 2) return ""
  const groups = [...currencies]
    .slice(0, maxCurrencies)
    .map(
      ([currency, count]) => `${currency === "" ? "no currency" : quoted(currency, 20)} (${count})`
    )
  const more = currencies.size - groups.length
  return `Prices are compared only within the same currency: ${[...groups, ...(more > 0 ? [`${more} more`] : [])].join(", ")}.`
}

const lastNotice = ({ notCompared }: BundleSelection.Selected): string =>
  notCompared === 0
    ? ""
    : `The last ${notCompared} may match: ${notCompared === 1 ? "its" : "their"} price or data amount is not one clear number.`

export const listDataBundles = Tool.make({
  name: "list_data_bundles",
  title: "List data bundles",
  description: `Lists data bundles on offer and says what it leaves out. Free; buys nothing. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  input: Input,
  output: Output,
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, query, ...selection }) {
    const service = yield* MessagingTopup
    const { category, unreadable = 0 } = yield* service
      .listDataBundles(query === undefined ? {} : { query: BundleSelection.parseQuery(query) })
      .pipe(Effect.mapError(failedRead("data bundles", false)))
    const selected = BundleSelection.select(category, selection)
    const { matching, overPrice, underData, withoutText } = selected
    const { shown, tooLong } = fit(matching.slice(0, limit))
    const beyondLimit = matching.length - shown.length - tooLong
    const total = category.length + unreadable
    return {
      message: sentences(
        `${matching.length} of ${plural(total, "data bundle")} match.`,
        groupsNotice(selected),
        lastNotice(selected)
      ),
      ...(tooLong + beyondLimit === 0 ? {} : { next: "Narrow the filters to see the rest." }),
      total,
      matching: matching.length,
      returned: shown.length,
      category: shown,
      ...leftOut({
        "without the text": withoutText,
        "over max_price": overPrice,
        "under min_data_mb": underData,
        "beyond the limit": beyondLimit,
        [tooLongReason]: tooLong,
        [unreadableReason]: unreadable
      })
    }
  })
})
