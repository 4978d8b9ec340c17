import { it } from "vitest"
import { casesOf, expectAgreement } from "../harness/mcp/SendsOfOneSms.ts"

it.each(casesOf(3))(
  "the list, the status, both calls and their refusals agree about an SMS sent by a batch and again: %s; decided: %s",
  (_, decision, history) => expectAgreement(decision, history)
)
