/**
 * How many random cases a test tries: a tenth of them in `test`, all of them in `test:full`, and any
 * share with `TEST_RUNS=5`, which is five times all.
 */
const share = Number(process.env["TEST_RUNS"] ?? 0.1)

export const runs = (all: number): number => Math.ceil(all * share)
