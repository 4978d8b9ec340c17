/**
 * An undici dispatcher that the test controls. It sends nothing.
 */
import type { Dispatcher } from "undici"

/** Records aborts and pauses. */
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

export type OnDispatch = (
  handler: Required<Dispatcher.DispatchHandler>,
  controller: FakeController,
  options: Dispatcher.DispatchOptions
) => void

/** Implements only `dispatch`, because the wire uses nothing else. */
export const fakeDispatcher = (onDispatch: OnDispatch): Dispatcher =>
  ({
    dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      onDispatch(handler as Required<Dispatcher.DispatchHandler>, new FakeController(), options)
      return true
    }
  }) as Dispatcher
