/**
 * A model checker: explores every order of the steps of a model, and checks each state.
 */

export interface Step<S> {
  readonly name: string
  readonly next: () => S
}

export interface Model<S> {
  readonly initial: () => S
  /** The steps that are possible in a state. */
  readonly steps: (state: S) => ReadonlyArray<Step<S>>
  /** Returns the violation in a state; undefined if there is none. */
  readonly problem: (state: S) => string | undefined
  /** Identifies a state. States with the same future have the same key. */
  readonly key: (state: S) => string
}

export interface Explored {
  readonly states: number
  readonly steps: number
  /** The first violation, and the steps that lead to it. */
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

  /** Adds a state if it is new. Returns its violation, if any. */
  const visitState = (visit: Visit<S>): Explored["problem"] => {
    const key = model.key(visit.state)
    if (seen.has(key)) return undefined
    seen.add(key)
    open.push(visit)
    const what = model.problem(visit.state)
    return what === undefined ? undefined : { what, path: pathTo(visit) }
  }

  let problem = visitState({ state: model.initial(), name: "start", from: undefined })
  while (problem === undefined) {
    const visit = open.pop()
    if (visit === undefined) break
    for (const { name, next } of model.steps(visit.state)) {
      steps++
      problem ??= visitState({ state: next(), name, from: visit })
      if (problem !== undefined) break
    }
  }
  const found = { states: seen.size, steps }
  return problem === undefined ? found : { ...found, problem }
}
