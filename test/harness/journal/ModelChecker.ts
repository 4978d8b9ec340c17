/**
 * A model checker: explores every order of the steps of a model, and checks each state.
 */

export interface Step<S> {
  readonly name: string
  readonly next: () => S | Promise<S>
  /** What is wrong with taking this step here; undefined if nothing is. */
  readonly problem?: string | undefined
}

export interface Model<S> {
  readonly initial: S
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
  const names: Array<string> = []
  for (let at: Visit<S> | undefined = visit; at !== undefined; at = at.from) names.unshift(at.name)
  return names
}

export const explore = async <S>(model: Model<S>): Promise<Explored> => {
  const seen = new Set<string>()
  const open: Array<Visit<S>> = [{ state: model.initial, name: "start", from: undefined }]
  let steps = 0
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    for (const { name, next, problem } of model.steps(visit.state)) {
      steps++
      const state = await next()
      const after = { state, name, from: visit }
      const what = problem ?? model.problem(state)
      if (what !== undefined) {
        return { states: seen.size, steps, problem: { what, path: pathTo(after) } }
      }
      const key = model.key(state)
      if (seen.has(key)) continue
      seen.add(key)
      open.push(after)
    }
  }
  return { states: seen.size, steps }
}
