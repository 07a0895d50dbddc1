// Decides whether a failed gas estimate proves that the payload would revert, or fail in another way, and finds the reason.
import { decodeErrorResult } from 'viem/utils'
import type { Hex } from '../../domain/ids.ts'
import { cutRevertText, revertTextMaxChars } from '../../domain/stored-text.ts'
import type { Answer } from './call.ts'

/** EIP-1474's extension for "execution error". geth, reth, Erigon, newer Nethermind, anvil and Hardhat use it. */
const executionErrorCode = 3

/** The only place that matches a node's prose on reverts: some clients use another code. */
const revertProse: readonly RegExp[] = [
  // Besu -32000 "Execution reverted"; geth -32000 before 1.9.15. In zkSync's validation only the account's own code runs.
  /(?<!validation )\brevert/i,
  /VM execution error/i, // Nethermind and OpenEthereum, -32015
  /invalid ?(fe)? ?opcode/i, // anvil "EVM error InvalidFEOpcode"; geth "invalid opcode: INVALID"
]

/** Solidity's documentation, "Panic via assert and error via require". */
const panics: Readonly<Record<string, string>> = {
  '1': 'assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division by zero',
  '33': 'no such enum value',
  '34': 'badly encoded storage array',
  '49': 'pop of an empty array',
  '50': 'array index out of bounds',
  '65': 'too much memory allocated',
  '81': 'call of an uninitialized function',
}

/** Bytes of a revert's data that are searched: more than a reason has, four to a character at most. A contract may return megabytes. */
const revertBytesMax = 4 * revertTextMaxChars
/** The characters of that data, with what may stand around it. */
const searchedMaxChars = 160 + 2 * revertBytesMax
/** The text's bytes in data that was cut: behind selector, offset and length. */
const cutTextBytes = revertBytesMax - 68

/** Undefined unless the answer proves that the execution fails: a faulty node must not fail a payload. */
export function revertReason(answer: Answer): string | undefined {
  if (answer.kind !== 'rpcError') return undefined
  const says = answer.code === executionErrorCode || revertProse.some((pattern) => pattern.test(answer.message))
  if (!says) return undefined
  return cutRevertText(revertText(revertBytes(answer.data)) ?? (answer.message || 'execution reverted'))
}

/**
 * The words of a node itself. A contract chooses those behind a revert, which may be a pool's. Undefined unless the error is of an execution.
 */
export function wordsBeforeRevert({ code, message }: { readonly code: unknown; readonly message: string }) {
  const starts = revertProse.map((pattern) => message.search(pattern)).filter((start) => start >= 0)
  if (starts.length > 0) return message.slice(0, Math.min(...starts))
  return code === executionErrorCode ? '' : undefined
}

/** JSON-RPC 2.0 about the request, EIP-1474's "limit exceeded", and what gateways use for rate limits. */
const codesOfNode: readonly number[] = [-32700, -32600, -32601, -32005, -32016, -32029, 429]

/** Words of a node that failed for a reason of its own or lacks a state, and those about money and order, which may change. */
const proseOfNode: readonly RegExp[] = [
  /time[d ]*-?out|deadline|aborted|cancel|interrupt/i,
  /\brate\b|too many|quota|throttl|capacity|overload|busy|try again|temporar|unavailable|not available/i,
  /upstream|backend|gateway|connection|server error|internal error|response (?:too|is) large|method|unsupported|not supported/i,
  /header|unknown block|block (?:is )?not|block (?:number|with)|trie node|\bstate\b|pruned|sync|ahead of|behind/i,
  /fund|balance|\bnonce|\bfees?\b|FeePerGas|gas ?price|base ?fee|under ?price/i,
]

/**
 * The node's words where its error is about the execution of the payload and no revert: a bad jump, for example. Clients word these in
 * ways that no table has, so all is one that is not known to be something else. One reading proves nothing. Undefined otherwise.
 */
export function failureReason(answer: Answer): string | undefined {
  if (answer.kind !== 'rpcError' || codesOfNode.includes(answer.code)) return undefined
  const { code, message } = answer
  if (proseOfNode.some((pattern) => pattern.test(message))) return undefined
  return cutRevertText(message || `an error without words (${code})`)
}

/** The data is a string, or inside an object (older Hardhat), or behind "Reverted " (Nethermind, OpenEthereum). */
function revertBytes(data: unknown): Hex | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  // Cut before it is searched: a contract may revert with a megabyte.
  const first = typeof inner === 'string' ? inner.slice(0, searchedMaxChars).trim() : ''
  const found = /^(?:Reverted )?0x([0-9a-f]*)$/i.exec(first)?.[1]
  return found === undefined ? undefined : `0x${found}`
}

/** Undefined where the data, which may be cut, is too short for an error. */
function revertText(data: Hex | undefined): string | undefined {
  if (data === undefined || data.length < 10) return undefined
  const text = errorText(data)
  if (text !== undefined) return text
  try {
    const { errorName, args } = decodeErrorResult({ data })
    const [first]: readonly unknown[] = args
    if (errorName === 'Error') return String(first)
    return `panic 0x${BigInt(String(first)).toString(16)}: ${panics[String(first)] ?? 'unknown'}`
  } catch {
    return `custom error ${data.slice(0, 10)}`
  }
}

/**
 * The beginning of a long text of `Error(string)`: selector, offset, length, bytes (Solidity's ABI). Data that was cut
 * is no valid encoding of the whole.
 */
function errorText(data: Hex): string | undefined {
  const [, offset, length, bytes] = /^0x08c379a0([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]*)$/i.exec(data) ?? []
  if (offset === undefined || length === undefined || bytes === undefined) return undefined
  const isLong = BigInt(`0x${offset}`) === 32n && BigInt(`0x${length}`) > BigInt(cutTextBytes)
  return isLong && bytes.length >= 2 * cutTextBytes ? `${Buffer.from(bytes, 'hex').toString()}…` : undefined
}
