// What a reverted transaction returned: its bytes as one node reports them, and the error that they encode. And the forms of an error's
// fragment, for the parser and for the schemas of the file and of the API.
import type { Hash, Hex } from './ids.ts'
import type { BlockNumber } from './units.ts'

/** Bytes kept of a return. A contract may return megabytes. */
export const revertBytesMax = 4_096
/** Characters of one argument, as shown. */
export const argumentCharsMax = 1_024

/** An error that a contract declares, as in the JSON that compilers write. */
export interface ErrorFragment {
  readonly name: string
  readonly inputs: readonly ErrorInput[]
}

export interface ErrorInput {
  readonly type: string
  readonly name?: string
  /** The members of a tuple. */
  readonly components?: readonly ErrorInput[]
}

export const fragmentLimits = {
  /** The most errors of a relayer. */
  fragmentsMax: 64,
  /** The most inputs of an error, and of a tuple: a contract's data decides how often each of them is read. */
  inputsMax: 16,
  nameCharsMax: 128,
} as const

/**
 * - `trace`: a trace of the transaction itself, which is exact.
 * - `call_before_block`, `call_after_block`: the same call on the state before or after the whole block.
 */
export const revertSources = ['trace', 'call_before_block', 'call_after_block'] as const
export type RevertSource = (typeof revertSources)[number]

export interface RevertedArgument {
  readonly name?: string
  readonly type: string
  /** Integers in decimal; arrays and tuples as JSON. */
  readonly value: string
}

export interface DecodedRevert {
  readonly error: string
  /** The text whose hash gives the selector: `Insufficient(uint256,uint256)`. */
  readonly signature: string
  readonly arguments: readonly RevertedArgument[]
}

/** The data of a revert as one node returned it. No second node confirms it. */
export interface RevertData {
  readonly hash: Hash
  readonly block: { readonly number: BlockNumber; readonly hash: Hash }
  /** The first bytes, at most `revertBytesMax`. */
  readonly data: Hex
  /** Whether the node returned more bytes. */
  readonly isCut: boolean
  readonly source: RevertSource
  /** The endpoint's index in the configuration at that time. */
  readonly endpoint: number
  readonly host: string
  /** Absent for an error that no fragment names, or with other arguments than it names. */
  readonly decoded?: DecodedRevert
}

export function signatureOf({ name, inputs }: ErrorFragment): string {
  return `${name}(${inputs.map(typeOf).join(',')})`
}

function typeOf({ type, components = [] }: ErrorInput): string {
  return type.startsWith('tuple') ? `(${components.map(typeOf).join(',')})${type.slice('tuple'.length)}` : type
}

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
