// The forms of an error's fragment, for the parser and for the schemas of the file and of the API.
import { fragmentLimits } from './revert-data.ts'

const sizes = Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).join('|')
/** Solidity's ABI, without function pointers and fixed points, which no compiler emits for errors. */
const scalarTypes = `u?int(${sizes})|address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?`
/** The type of an input, at most one array: data that nests arrays could make a short answer long to decode. */
export const typePattern = `^(${scalarTypes})(\\[([1-9][0-9]{0,2})?\\])?$`
export const tuplePattern = '^tuple(\\[([1-9][0-9]{0,2})?\\])?$'
/** The types that a tuple's members may have. */
export const memberPattern = `^(${scalarTypes})$`

const { nameCharsMax } = fragmentLimits
const identifier = `[A-Za-z_$][A-Za-z0-9_$]{0,${nameCharsMax - 1}}`
export const identifierPattern = `^${identifier}$`
/** A parameter may have no name. */
export const parameterNamePattern = `^(${identifier})?$`
