/**
 * A journal in this process. It stands alone so that the code of the journal is loaded with the first
 * send: the journal's index, which the server always loads, would bring it along.
 */
export { layerMemory as layer } from "@messaging-topup/journal"
