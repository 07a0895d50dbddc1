// Decodes what a transaction returned when it reverted: the errors that every contract has, and those that the policy names.
import { decodeAbiParameters, toFunctionSelector } from 'viem/utils'
import type { Hex } from '../../domain/ids.ts'
import {
  argumentCharsMax,
  type DecodedRevert,
  type ErrorFragment,
  type ErrorInput,
  type RevertedArgument,
  signatureOf,
} from '../../domain/revert-data.ts'
import { cutRevertText } from '../../domain/stored-text.ts'

const everywhere: readonly ErrorFragment[] = [
  { name: 'Error', inputs: [{ type: 'string' }] },
  { name: 'Panic', inputs: [{ type: 'uint256' }] },
]

/**
 * Data may point to one text from every element of an array. Decoding 4 KiB of such data takes a third of a second, and 1 KiB a few
 * milliseconds.
 */
const longElementsBytesMax = 1_024
const longElements = /^(?:string|bytes|tuple)\[/

/**
 * Undefined where no fragment has the data's selector, or the data is no encoding of the fragment's arguments. `data` may be cut.
 */
export function decodeRevert(data: Hex, abi: readonly ErrorFragment[]): DecodedRevert | undefined {
  const selector = data.slice(0, 10)
  const fragment = [...everywhere, ...abi].find((each) => toFunctionSelector(signatureOf(each)) === selector)
  if (!fragment) return undefined
  const { inputs } = fragment
  const bytes = (data.length - 10) / 2
  if (bytes > longElementsBytesMax && inputs.some(({ type }) => longElements.test(type))) return undefined
  try {
    const values: readonly unknown[] = inputs.length === 0 ? [] : decodeAbiParameters(inputs, `0x${data.slice(10)}`)
    const shown = inputs.map((input, index) => shownArgument(input, values[index]))
    return { error: fragment.name, signature: signatureOf(fragment), arguments: shown }
  } catch {
    return undefined
  }
}

function shownArgument({ name, type }: ErrorInput, value: unknown): RevertedArgument {
  const text = typeof value === 'object' ? JSON.stringify(value, plain) : String(value)
  return { ...(name !== undefined && { name }), type, value: cutRevertText(text, argumentCharsMax) }
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** An error with its arguments in one line, such as `Insufficient(available: 5, required: 10)`. */
export function headOf({ error, arguments: args }: DecodedRevert): string {
  return `${error}(${args.map(({ name, value }) => (name === undefined ? value : `${name}: ${value}`)).join(', ')})`
}
