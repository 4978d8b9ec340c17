/** For runtimes that serve requests. The two addresses are in the query. */
import { scenario } from "./scenario.js"

// oxlint-disable-next-line import/no-default-export -- what a worker exports
export default {
  fetch: async (request) => {
    const { searchParams } = new URL(request.url)
    return Response.json(
      await scenario(searchParams.get("baseUrl"), searchParams.get("refusingUrl"))
    )
  }
}
