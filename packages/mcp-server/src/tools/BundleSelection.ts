/**
 * Filters and sorts data bundles.
 */
import type { DataBundle, ListDataBundlesQuery } from "@messaging-topup/core"
import { normalized } from "../send/Text.ts"
import * as Amount from "./Amount.ts"

interface Selection {
  readonly text?: string
  readonly max_price?: number
  readonly min_data_mb?: number
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

interface Read {
  readonly bundle: DataBundle
  readonly price: ReturnType<typeof Amount.parse>
  readonly megabytes: number | undefined
}

export interface Selected {
  /** Sorted as asked for. What could not be compared comes last. */
  readonly matching: ReadonlyArray<DataBundle>
  /** How many of them could not be compared, so it is unknown whether they match. */
  readonly notCompared: number
  /** The currencies of the compared prices, each with the number of its bundles. */
  readonly currencies: ReadonlyMap<string, number>
  readonly withoutText: number
  readonly overPrice: number
  readonly underData: number
}

const compareNumbers = (one: Read, other: Read): number =>
  (one.price.number ?? Infinity) - (other.price.number ?? Infinity)

/** Puts the groups in the order in which the service names their currencies, each with its own order. */
const byPrice = (groups: ReadonlyMap<string, ReadonlyArray<Read>>): ReadonlyArray<Read> =>
  [...groups.values()].flatMap((group) => group.toSorted(compareNumbers))

const inOrder = (
  compared: ReadonlyArray<Read>,
  groups: ReadonlyMap<string, ReadonlyArray<Read>>,
  sort: Selection["sort"]
): ReadonlyArray<Read> => {
  switch (sort) {
    case "price":
      return byPrice(groups)
    case "name":
      return compared.toSorted((one, other) =>
        (one.bundle.name ?? "").localeCompare(other.bundle.name ?? "")
      )
    case undefined:
      return compared
  }
}

export const select = (
  bundles: ReadonlyArray<DataBundle>,
  { max_price, min_data_mb, sort, text }: Selection
): Selected => {
  const wanted = comparableText(text ?? "")
  const named = bundles.filter((bundle) => wanted === "" || contains(bundle, wanted))
  const isPriced = max_price !== undefined || sort === "price"
  const read = named.map((bundle) => ({
    bundle,
    price: Amount.parse(bundle.price),
    megabytes: Amount.megabytesOf(bundle.data_amount)
  }))
  const affordable = read.filter(({ price }) => !((price.number ?? 0) > (max_price ?? Infinity)))
  const large = affordable.filter(
    ({ megabytes }) => !((megabytes ?? Infinity) < (min_data_mb ?? 0))
  )
  const isCompared = ({ megabytes, price }: Read) =>
    !(isPriced && price.number === undefined) &&
    !(min_data_mb !== undefined && megabytes === undefined)
  const compared = large.filter(isCompared)
  const rest = large.filter((each) => !isCompared(each))
  const groups = Map.groupBy(isPriced ? compared : [], ({ price }) => price.unit)
  return {
    matching: [...inOrder(compared, groups, sort), ...rest].map(({ bundle }) => bundle),
    notCompared: rest.length,
    currencies: new Map([...groups].map(([currency, group]) => [currency, group.length])),
    withoutText: bundles.length - named.length,
    overPrice: read.length - affordable.length,
    underData: affordable.length - large.length
  }
}
