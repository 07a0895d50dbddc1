// The forms of an error's fragment, for the parser and for the schema of the file.
import { fragmentLimits } from '../domain/revert-data.ts'

const sizes = Array.from({ length: 32 }, (_, index) => 8 * (index + 1)).join('|')
/** Solidity's ABI, without function pointers and fixed points, which no compiler emits for errors. */
export const scalarTypes = `u?int(${sizes})|address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?`
/** At most one array: data that nests them could make a short answer long to decode. */
export const arrayPattern = (types: string) => `^(${types})(\\[([1-9][0-9]{0,2})?\\])?$`

const { nameCharsMax } = fragmentLimits
export const identifierPattern = `^[A-Za-z_$][A-Za-z0-9_$]{0,${nameCharsMax - 1}}$`
/** A parameter may have no name. */
export const parameterNamePattern = `^([A-Za-z_$][A-Za-z0-9_$]{0,${nameCharsMax - 1}})?$`
