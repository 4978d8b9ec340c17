/**
 * The objects that callers give, as the schemas shall see them: without the fields that are
 * `undefined`, which JSON has no other way to leave out, and with all others.
 */
import * as Predicate from "effect/Predicate"

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined))

/**
 * The named fields wherever they come from (a class may have them as getters), and what else the
 * object owns, so that a misspelt one is seen.
 */
export const inputFields = (value: unknown, names: ReadonlyArray<string>): unknown =>
  Predicate.isObject(value)
    ? withoutUndefined({
        ...value,
        ...Object.fromEntries(names.map((name) => [name, value[name]]))
      })
    : value

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A Map or URLSearchParams keeps its entries elsewhere, and would read as an empty record. */
export const inputRecord = (value: unknown): object | undefined =>
  Predicate.isObject(value) && isPlain(value) ? withoutUndefined(value) : undefined
