/**
 * How the commands of this project declare their options. It is published for them, and is no API.
 */
export { helpOf } from "./Help.ts"
export { nearest } from "./Nearest.ts"
export {
  argument,
  choice,
  type Count,
  count,
  duration,
  general,
  list,
  number,
  on,
  type Option,
  type Options,
  parseDuration,
  required,
  text,
  type Values,
  withDefault
} from "./Option.ts"
export {
  didYouMean,
  type Environment,
  flagOf,
  type Given,
  labelOf,
  parse,
  read,
  type Request,
  UsageError,
  variableOf
} from "./Parse.ts"
