/**
 * Walks through every order of the steps of a model, and looks at each state that it meets.
 */

export interface Step<S> {
  readonly name: string
  readonly next: () => S
}

export interface Model<S> {
  readonly initial: () => S
  /** The steps that are possible in a state. */
  readonly steps: (state: S) => ReadonlyArray<Step<S>>
  /** What is wrong with a state, if anything. */
  readonly problem: (state: S) => string | undefined
  /** The same for states that have the same future. */
  readonly key: (state: S) => string
}

export interface Explored {
  readonly states: number
  readonly steps: number
  /** The first state that is wrong, and the way to it. */
  readonly problem?: { readonly what: string; readonly path: ReadonlyArray<string> }
}

interface Visit<S> {
  readonly state: S
  readonly name: string
  readonly from: Visit<S> | undefined
}

const pathTo = <S>(visit: Visit<S>): ReadonlyArray<string> => {
  const names = new Array<string>()
  for (let at: Visit<S> | undefined = visit; at !== undefined; at = at.from) names.unshift(at.name)
  return names
}

export const explore = <S>(model: Model<S>): Explored => {
  const seen = new Set<string>()
  const open = new Array<Visit<S>>()
  let steps = 0

  /** What is wrong, if the state is new and wrong. */
  const meet = (visit: Visit<S>): Explored["problem"] => {
    const key = model.key(visit.state)
    if (seen.has(key)) return undefined
    seen.add(key)
    open.push(visit)
    const what = model.problem(visit.state)
    return what === undefined ? undefined : { what, path: pathTo(visit) }
  }

  let problem = meet({ state: model.initial(), name: "start", from: undefined })
  while (problem === undefined) {
    const visit = open.pop()
    if (visit === undefined) break
    for (const { name, next } of model.steps(visit.state)) {
      steps++
      problem ??= meet({ state: next(), name, from: visit })
      if (problem !== undefined) break
    }
  }
  const found = { states: seen.size, steps }
  return problem === undefined ? found : { ...found, problem }
}
