/**
 * A call of a promise client that was closed.
 *
 * @since 0.1.0
 */
import { errorClass } from "./ErrorClass.ts"

/**
 * The client was closed before this call. Nothing was sent.
 *
 * @since 0.1.0
 */
export class ClientClosed extends errorClass<ClientClosed>()(
  "ClientClosed",
  {},
  {
    message: () => "The client was closed before this call: nothing was sent. Create another client"
  }
) {}
