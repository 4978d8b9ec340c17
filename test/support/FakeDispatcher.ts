/**
 * A dispatcher of undici's that does what the test says, on a request that goes nowhere.
 */
import type { Dispatcher } from "undici"

/** Held back until the test lets it go on, where it is paused. */
export class FakeController implements Dispatcher.DispatchController {
  aborted = false
  paused = false
  reason: Error | null = null
  abort(reason: Error): void {
    this.aborted = true
    this.reason = reason
  }
  pause(): void {
    this.paused = true
  }
  resume(): void {
    this.paused = false
  }
}

export type Carry = (
  handler: Required<Dispatcher.DispatchHandler>,
  controller: FakeController,
  options: Dispatcher.DispatchOptions
) => void

/** The wire uses `dispatch` alone. */
export const fakeDispatcher = (carry: Carry): Dispatcher =>
  ({
    dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      carry(handler as Required<Dispatcher.DispatchHandler>, new FakeController(), options)
      return true
    }
  }) as Dispatcher
