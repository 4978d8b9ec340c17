/**
 * Prepares the objects of callers for the schemas: removes the fields that are `undefined`, because
 * JSON has no `undefined`, and keeps all others.
 */
import * as Predicate from "effect/Predicate"

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined))

/**
 * Returns the named fields, also from getters of a class, and all other own fields of the object,
 * so that a misspelt field is reported.
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

/** Rejects a Map or URLSearchParams, which has no own fields and would read as an empty record. */
export const inputRecord = (value: unknown): object | undefined =>
  Predicate.isObject(value) && isPlain(value) ? withoutUndefined(value) : undefined
