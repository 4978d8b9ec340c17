/**
 * Closes what a test opened, in reverse order, like `AsyncDisposableStack`, which Node 22 lacks.
 */
export class Disposables implements AsyncDisposable {
  #opened: Array<AsyncDisposable> = []

  use<A extends AsyncDisposable>(opened: A): A {
    this.#opened.push(opened)
    return opened
  }

  /** Moves everything to a new instance, which closes it instead of this one. */
  move(): Disposables {
    const kept = new Disposables()
    kept.#opened = this.#opened
    this.#opened = []
    return kept
  }

  async disposeAsync(): Promise<void> {
    for (let last = this.#opened.pop(); last !== undefined; last = this.#opened.pop()) {
      await last[Symbol.asyncDispose]()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }
}
