// Reads from one endpoint what a reverted transaction returned: from a trace of it, else from the same call on the states around its
// block. A client's payload decides how long that takes and how large the answers are, so the calls are apart from those of the engine.
// The reason alone is short, and read with the receipt.
import type { Hash, Hex } from '../../domain/ids.ts'
import { type RevertData, type RevertSource, revertBytesMax } from '../../domain/revert-data.ts'
import type { BlockRef } from '../../domain/transaction.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { askAbout, valueIn } from '../nodes/ask-about.ts'
import { type Answer, type Call, isAnswered } from '../nodes/call.ts'
import { toHash, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { isObject } from '../nodes/response-body.ts'
import { revertBytes, revertReason } from '../nodes/revert-reason.ts'

export interface ReadRevert {
  readonly source: RevertSource
  readonly data: Hex
  readonly isCut: boolean
}

export type RevertQuestion = Pick<RevertData, 'hash'> & { readonly block: BlockRef }

/** Undefined where the node shows no revert. Never rejects. */
export async function readTrace(endpoint: Endpoint, { hash }: RevertQuestion): Promise<ReadRevert | undefined> {
  const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true }, timeout: '5s' }
  const answer = await endpoint.callOnOwnConnection({
    method: 'debug_traceTransaction',
    params: [hash, options],
    keeps: 'heads',
  })
  if (answer.kind !== 'value' || !isObject(answer.value)) return undefined
  const { error, output = '0x' }: { readonly error?: unknown; readonly output?: unknown } = { ...answer.value }
  // Without an error it is no trace of a revert; other tracers have other members.
  if (typeof error !== 'string' || typeof output !== 'string' || !/^0x[0-9a-f]*$/i.test(output)) return undefined
  return { source: 'trace', ...cutBytes(output) }
}

/** Reads as `readTrace` does. */
export async function readByCalls(endpoint: Endpoint, question: RevertQuestion): Promise<ReadRevert | undefined> {
  const { hash, block } = question
  const shown = await endpoint.callOnOwnConnection({ method: 'eth_getTransactionByHash', params: [hash] })
  const again = shown.kind === 'value' ? callOf(shown.value, hash) : undefined
  if (!again) return undefined
  const at = async (number: number): Promise<Answer> => {
    const call: Call = { method: 'eth_call', params: [again, toHex(number)], keeps: 'heads' }
    return endpoint.callOnOwnConnection(call)
  }
  const before = await at(block.number - 1)
  const first = revertIn(before, 'call_before_block')
  // Another transaction of its block may have made it revert.
  if (first || !isAnswered(before)) return first
  return revertIn(await at(block.number), 'call_after_block')
}

interface Wire {
  readonly hash?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly value?: unknown
  readonly input?: unknown
  readonly gas?: unknown
  readonly accessList?: unknown
}

function againOf({ from, to, value, input, gas, accessList }: Wire): object {
  return { from, ...(to ? { to } : {}), value, data: input, gas, ...(accessList ? { accessList } : {}) }
}

function callOf(value: unknown, hash: Hash): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const transaction: Wire = value
  return toHash(transaction.hash) === hash ? againOf(transaction) : undefined
}

function revertIn(answer: Answer, source: RevertSource): ReadRevert | undefined {
  if (answer.kind !== 'rpcError' || revertReason(answer) === undefined) return undefined
  return { source, ...cutBytes(revertBytes(answer.data) ?? '0x') }
}

function cutBytes(data: string): Pick<ReadRevert, 'data' | 'isCut'> {
  const charsMax = 2 + 2 * revertBytesMax
  // An odd digit is the rest of a byte that was cut.
  const digits = data.slice(2, charsMax).toLowerCase()
  return { data: `0x${digits.slice(0, digits.length - (digits.length % 2))}`, isCut: data.length > charsMax }
}

/**
 * Finds why a mined transaction reverted. Receipts do not say it, so the node executes the transaction again on the state before its
 * block. Undefined where the node no longer keeps that state, or where the transaction reverted only because of others before it in its
 * block. Costs two calls, made for reverted transactions only.
 */
export async function readRevert(endpoint: Endpoint, hash: Hash, block: BlockNumber): Promise<string | undefined> {
  const call = { method: 'eth_getTransactionByHash', params: [hash] }
  const transaction = valueIn(await askAbout(endpoint, call, membersOf, ({ hash: named }) => toHash(named) === hash))
  if (!transaction) return undefined
  return revertReason(await endpoint.call({ method: 'eth_call', params: [againOf(transaction), toHex(block - 1)] }))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? { ...value } : undefined
}
