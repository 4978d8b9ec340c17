/**
 * Libraries that decode responses, each used as its documentation recommends for speed. Each returns a decoder
 * for responses like an example.
 */

/** Makes a schema from the parts of a library. */
const schemaOf = (parts, example) => {
  if (Array.isArray(example)) return parts.array(schemaOf(parts, example[0]))
  if (typeof example !== "object") return parts[typeof example]()
  const fields = Object.entries(example).map(([name, value]) => [name, schemaOf(parts, value)])
  return parts.object(Object.fromEntries(fields))
}

const zod = async (example) => {
  const { z } = await import("zod")
  const schema = schemaOf(z, example)
  return (value) => schema.parse(value)
}

const valibot = async (example) => {
  const v = await import("valibot")
  return v.parser(schemaOf(v, example))
}

/** For libraries that check a value and return the same value. */
const checked = (check) => (value) => {
  if (!check(value)) throw new Error("The response does not match its schema")
  return value
}

const ajv = async (example) => {
  const { default: loaded } = await import("ajv")
  const Ajv = loaded.default ?? loaded
  const parts = {
    array: (items) => ({ type: "array", items }),
    object: (properties) => ({ type: "object", properties, required: Object.keys(properties) }),
    boolean: () => ({ type: "boolean" }),
    number: () => ({ type: "number" }),
    string: () => ({ type: "string" })
  }
  return checked(new Ajv().compile(schemaOf(parts, example)))
}

const typebox = async (example) => {
  const { default: Type } = await import("typebox")
  const { Compile } = await import("typebox/compile")
  const parts = {
    array: Type.Array,
    object: Type.Object,
    boolean: Type.Boolean,
    number: Type.Number,
    string: Type.String
  }
  const schema = Compile(schemaOf(parts, example))
  return checked((value) => schema.Check(value))
}

export const decoders = { zod, valibot, ajv, typebox }
