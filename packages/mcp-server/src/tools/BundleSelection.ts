/**
 * Filters and sorts data bundles.
 */
import type { DataBundle, ListDataBundlesQuery } from "@messaging-topup/core"
import { normalized } from "../send/Text.ts"
import * as Price from "./Price.ts"

interface Selection {
  readonly text?: string
  readonly max_price?: number
  readonly sort?: "price" | "name"
}

/** Parses a query string. A repeated parameter becomes a list. */
export const parseQuery = (query: string): ListDataBundlesQuery => {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)])
  )
}

/** Ignores case, spaces and compatibility forms of characters, so that "5 gb" finds "5GB". */
const comparableText = (text: string): string =>
  normalized(text, "NFKC").toLowerCase().replace(/\s+/gu, "")

const contains = (
  { bundle_id, data_amount, name, price, validity }: DataBundle,
  wanted: string
): boolean =>
  [bundle_id, name, price, data_amount, validity].some(
    (value) => value !== undefined && comparableText(value).includes(wanted)
  )

interface Compared {
  readonly comparable: ReadonlyArray<{ readonly bundle: DataBundle; readonly amount: number }>
  readonly notComparable: ReadonlyArray<DataBundle>
  /** The currencies of the plain prices, if there are several. */
  readonly currencies: ReadonlyArray<string>
}

/** Compares amounts only if all of them have the same currency. */
const comparePrices = (bundles: ReadonlyArray<DataBundle>): Compared => {
  const priced = bundles.map((bundle) => ({ bundle, price: Price.parse(bundle.price) }))
  const currencies = [...new Set(priced.flatMap(({ price }) => price?.currency ?? []))]
  if (currencies.length > 1) return { comparable: [], notComparable: bundles, currencies }
  return {
    comparable: priced.flatMap(({ bundle, price }) =>
      price === undefined ? [] : [{ bundle, amount: price.amount }]
    ),
    notComparable: priced.flatMap(({ bundle, price }) => (price === undefined ? [bundle] : [])),
    currencies: []
  }
}

export interface Selected {
  /** Sorted as asked for. */
  readonly matching: ReadonlyArray<DataBundle>
  /** Bundles whose prices cannot be compared, so it is unknown whether they match. */
  readonly notComparable: ReadonlyArray<DataBundle>
  /** The currencies of the prices, if they are several: then no prices are compared. */
  readonly currencies: ReadonlyArray<string>
  readonly withoutText: number
  readonly overPrice: number
}

const inOrder = (
  bundles: ReadonlyArray<DataBundle>,
  sort: Selection["sort"]
): ReadonlyArray<DataBundle> =>
  sort === "name"
    ? bundles.toSorted((one, other) => (one.name ?? "").localeCompare(other.name ?? ""))
    : bundles

export const select = (
  bundles: ReadonlyArray<DataBundle>,
  { max_price, sort, text }: Selection
): Selected => {
  const wanted = comparableText(text ?? "")
  const named = bundles.filter((bundle) => contains(bundle, wanted) || wanted === "")
  const withoutText = bundles.length - named.length
  if (max_price === undefined && sort !== "price") {
    return {
      withoutText,
      matching: inOrder(named, sort),
      notComparable: [],
      currencies: [],
      overPrice: 0
    }
  }
  const { comparable, currencies, notComparable } = comparePrices(named)
  const affordable = comparable.filter(({ amount }) => amount <= (max_price ?? Infinity))
  const ranked =
    sort === "price" ? affordable.toSorted((one, other) => one.amount - other.amount) : affordable
  return {
    withoutText,
    matching: inOrder(
      ranked.map(({ bundle }) => bundle),
      sort
    ),
    notComparable,
    currencies,
    overPrice: comparable.length - affordable.length
  }
}
