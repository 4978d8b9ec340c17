/**
 * The number of random cases of a test: a tenth of them in `test`, all of them in `test:full`.
 * `TEST_RUNS` sets another factor: with `TEST_RUNS=5`, five times as many as in `test:full`.
 *
 * A test file imports it, and no helper does: the test files that `test:full` runs again are those with this import.
 */
const share = Number(process.env["TEST_RUNS"] ?? 0.1)

/** Whether all random cases are tried. Tests that would be the same then are skipped, if they take long. */
export const isFull = share >= 1

export const runs = (all: number): number => Math.ceil(all * share)
