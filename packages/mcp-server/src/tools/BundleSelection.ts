/**
 * Picks bundles out of a list.
 */
import type { DataBundle, ListDataBundlesQuery } from "@messaging-topup/core"
import * as Price from "./Price.ts"

export interface Selection {
  readonly text?: string
  readonly max_price?: number
  readonly sort?: "price" | "name"
}

/** A repeated parameter becomes a list. */
export const parseQuery = (query: string): ListDataBundlesQuery => {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)])
  )
}

const contains = (
  { bundle_id, data_amount, name, price, validity }: DataBundle,
  text: string
): boolean => {
  const wanted = text.toLowerCase()
  return [bundle_id, name, price, data_amount, validity].some((value = "") =>
    value.toLowerCase().includes(wanted)
  )
}

/** A price that cannot be compared comes last. */
const priceOrder = (bundle: DataBundle): number => Price.parse(bundle.price) ?? Infinity

const sorted = (
  bundles: ReadonlyArray<DataBundle>,
  sort: Selection["sort"]
): ReadonlyArray<DataBundle> => {
  switch (sort) {
    case "price":
      return bundles.toSorted((one, other) => {
        const [a, b] = [priceOrder(one), priceOrder(other)]
        return a === b ? 0 : a - b
      })
    case "name":
      return bundles.toSorted((one, other) => (one.name ?? "").localeCompare(other.name ?? ""))
    case undefined:
      return bundles
  }
}

export const select = (
  bundles: ReadonlyArray<DataBundle>,
  { max_price, sort, text }: Selection
): { readonly matching: ReadonlyArray<DataBundle>; readonly unpriced: number } => {
  const named = text === undefined ? bundles : bundles.filter((bundle) => contains(bundle, text))
  if (max_price === undefined) return { matching: sorted(named, sort), unpriced: 0 }
  const priced = named.filter(({ price }) => Price.parse(price) !== undefined)
  const affordable = priced.filter(({ price }) => (Price.parse(price) ?? Infinity) <= max_price)
  return { matching: sorted(affordable, sort), unpriced: named.length - priced.length }
}
