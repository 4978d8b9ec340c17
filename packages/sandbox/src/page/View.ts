/** What the page shows: it is all in the query, so that "back" and a copied link work. */
export interface View {
  readonly name: "messages" | "requests"
  /** Text in the message, the recipient or the message id. */
  readonly search: string
  readonly before: string
  /** The id of the selected message, or of the open request; empty if there is none. */
  readonly id: string
}

export const viewOf = (query: URLSearchParams): View => ({
  name: query.get("view") === "requests" ? "requests" : "messages",
  search: query.get("search") ?? "",
  before: query.get("before") ?? "",
  id: query.get("id") ?? ""
})

/** The `before` of a page; `undefined` if it is not a number, or absent. */
export const beforeOf = ({ before }: View): number | undefined =>
  /^\d{1,9}$/.test(before) ? Number(before) : undefined

/** A link to a view. */
export const linkTo = ({ name = "messages", ...rest }: Partial<View>): string => {
  const fields = Object.entries({ view: name === "messages" ? "" : name, ...rest })
  const query = new URLSearchParams(fields.filter(([, field]) => field !== "")).toString()
  return query === "" ? "/" : `/?${query}`
}
