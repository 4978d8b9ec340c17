/**
 * Libraries that decode responses, each used as its documentation recommends for speed. `decoders[name]()`
 * returns a function for each response.
 */

/** The fields of each entry. All are strings. */
const bundle = ["bundle_id", "name", "price", "data_amount", "validity"]
const status = ["recipient", "message_id", "status", "date_created", "sender_id"]

const fields = (names, field) => Object.fromEntries(names.map((name) => [name, field]))

const zod = async () => {
  const { z } = await import("zod")
  const entries = (names) => z.array(z.object(fields(names, z.string())))
  const long = z.object({ category: entries(bundle) })
  const small = z.object({
    success: z.boolean(),
    status: z.number(),
    message: z.string(),
    data: entries(status)
  })
  return { long: (value) => long.parse(value), small: (value) => small.parse(value) }
}

const valibot = async () => {
  const v = await import("valibot")
  const entries = (names) => v.array(v.object(fields(names, v.string())))
  const long = v.parser(v.object({ category: entries(bundle) }))
  const small = v.parser(
    v.object({
      success: v.boolean(),
      status: v.number(),
      message: v.string(),
      data: entries(status)
    })
  )
  return { long, small }
}

/** For libraries that check a value and return the same value. */
const checked = (check) => (value) => {
  if (!check(value)) throw new Error("The response does not match its schema")
  return value
}

const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})

const ajv = async () => {
  const { default: loaded } = await import("ajv")
  const Ajv = loaded.default ?? loaded
  const entries = (names) => ({ type: "array", items: object(fields(names, { type: "string" })) })
  const compiler = new Ajv()
  return {
    long: checked(compiler.compile(object({ category: entries(bundle) }))),
    small: checked(
      compiler.compile(
        object({
          success: { type: "boolean" },
          status: { type: "number" },
          message: { type: "string" },
          data: entries(status)
        })
      )
    )
  }
}

const typebox = async () => {
  const { default: Type } = await import("typebox")
  const { Compile } = await import("typebox/compile")
  const entries = (names) => Type.Array(Type.Object(fields(names, Type.String())))
  const long = Compile(Type.Object({ category: entries(bundle) }))
  const small = Compile(
    Type.Object({
      success: Type.Boolean(),
      status: Type.Number(),
      message: Type.String(),
      data: entries(status)
    })
  )
  return {
    long: checked((value) => long.Check(value)),
    small: checked((value) => small.Check(value))
  }
}

export const decoders = { zod, valibot, ajv, typebox }
