/**
 * A journal in the memory of this process.
 *
 * It is a module of its own so that it can be imported when the state is first needed. The journal's
 * index is loaded at the start, so exporting the code there would load it at the start too.
 */
export { layerMemory as layer } from "@messaging-topup/journal"
