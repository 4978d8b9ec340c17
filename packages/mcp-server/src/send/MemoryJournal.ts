/**
 * A journal in the memory of this process.
 *
 * It is a separate module, so that its code is loaded when the state is first needed. The server
 * loads the journal's index at the start, and a direct import of `layerMemory` from it would load
 * the code then.
 */
export { layerMemory as layer } from "@messaging-topup/journal"
