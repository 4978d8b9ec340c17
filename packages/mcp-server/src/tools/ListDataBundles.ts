/**
 * The tool `list_data_bundles`.
 */
import { DataBundle, MessagingTopup } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scopes from "./Scopes.ts"
import { fit, leftOut, tooLongReason, unreadableReason } from "./ToolResult.ts"
import { failedRead } from "../send/ServiceFailure.ts"
import { plural, sentences } from "../send/Text.ts"
import * as BundleSelection from "./BundleSelection.ts"
import * as Tool from "./Tool.ts"

const defaultLimit = 20

const Input = Schema.Struct({
  query: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Query for the service, such as a=1&b=2. What selects a network is not documented"
    })
  ),
  text: Schema.optionalKey(
    Schema.String.annotate({ description: "In any field; case and spaces do not count" })
  ),
  max_price: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Up to this price, in the only currency of the matches" })
  ),
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
  total: Schema.Int,
  matching: Schema.Int,
  returned: Schema.Int,
  category: Schema.Array(DataBundle),
  not_comparable: Schema.optionalKey(Schema.Array(DataBundle))
})

const notComparableNotice = (count: number, currencies: ReadonlyArray<string>): string => {
  if (count === 0) return ""
  const names = currencies.map((currency) => (currency === "" ? "no currency" : currency))
  const why =
    names.length === 0
      ? "their price is not one plain number"
      : `prices in ${names.join(", ")} are never compared`
  return `${plural(count, "bundle")} listed separately under not_comparable: ${why}.`
}

const advice = ({ currencies }: BundleSelection.Selected, isCut: boolean): string | undefined => {
  if (currencies.length > 1) return "Set text to one currency to compare its prices."
  return isCut ? "Narrow the filters to see the rest." : undefined
}

export const listDataBundles = Tool.make({
  name: "list_data_bundles",
  title: "List data bundles",
  description: `Lists data bundles on offer and says what it leaves out. Free; buys nothing. Prices are compared only where they are plain numbers in one currency. ${Tool.aboutTexts}`,
  annotations: Tool.readOnly,
  scope: Scopes.messagesRead,
  input: Input,
  output: Output,
  run: Effect.fnUntraced(function* ({ limit = defaultLimit, query, ...selection }) {
    const service = yield* MessagingTopup
    const { category, unreadable = [] } = yield* service
      .listDataBundles(query === undefined ? {} : { query: BundleSelection.parseQuery(query) })
      .pipe(Effect.mapError(failedRead("data bundles", false)))
    const selected = BundleSelection.select(category, selection)
    const { matching, notComparable, overPrice, withoutText } = selected
    const first = fit(matching.slice(0, limit))
    const others = fit(notComparable.slice(0, limit - first.shown.length), first.left)
    const returned = first.shown.length + others.shown.length
    const tooLong = first.tooLong + others.tooLong
    const beyondLimit = matching.length + notComparable.length - returned - tooLong
    const total = category.length + unreadable.length
    const next = advice(selected, tooLong + beyondLimit > 0)
    return {
      message: sentences(
        `${matching.length} of ${plural(total, "data bundle")} match.`,
        notComparableNotice(notComparable.length, selected.currencies)
      ),
      ...(next === undefined ? {} : { next }),
      total,
      matching: matching.length,
      returned,
      category: first.shown,
      ...(notComparable.length === 0 ? {} : { not_comparable: others.shown }),
      ...leftOut({
        "without the text": withoutText,
        "over max_price": overPrice,
        "beyond the limit": beyondLimit,
        [tooLongReason]: tooLong,
        [unreadableReason]: unreadable.length
      })
    }
  })
})
