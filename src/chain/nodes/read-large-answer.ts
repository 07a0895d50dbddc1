// Parses a large answer, and keeps the parts of it that the service uses. It runs in a thread of its own.
import type { SoughtInBody } from './call.ts'
import { toAddress, toBigInt } from './decode.ts'
import { answerLimits, type ExpectedAnswer, type ExpectedMember } from './expected-answer.ts'
import { implausible } from './implausible.ts'
import { type BatchMember, isObject, membersOf } from './response-body.ts'

/** `text`: the kept parts as JSON, since a text is copied to the main thread and needs no conversion. */
export type LargeReading =
  | { readonly text: string }
  | { readonly refused: string; readonly isTooLarge: boolean; readonly isJson: boolean }

export function readLargeAnswer(bytes: Uint8Array, { calls }: Pick<ExpectedAnswer, 'calls'>): LargeReading {
  const reason = implausible(bytes, calls.length)
  if (reason !== undefined) return { refused: reason, isTooLarge: false, isJson: true }
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    return { refused: 'an answer that is not JSON', isTooLarge: false, isJson: false }
  }
  const byId = new Map(calls.map((call) => [call.id, call]))
  const [only] = calls
  const kept = membersOf(json).map((member) => {
    if (!isObject(member)) return null
    return keptOf(member, byId.get(Number(member.id)) ?? (calls.length === 1 ? only : undefined))
  })
  const text = JSON.stringify(Array.isArray(json) ? kept : kept[0])
  return text.length <= answerLimits.keptBytes
    ? { text }
    : {
        refused: `an answer with more than ${answerLimits.keptBytes} bytes of use`,
        isTooLarge: true,
        isJson: true,
      }
}

function keptOf(member: BatchMember, call: ExpectedMember | undefined): object {
  const { id, error } = member
  return {
    id,
    ...('result' in member && { result: keptResult(member.result, call) }),
    ...(error !== undefined && { error: keptError(error) }),
  }
}

function keptError(error: unknown): unknown {
  if (!isObject(error)) return cut(error)
  const { code, message, data } = error
  // Older clients put the data of a revert into an object.
  const inner = isObject(data) ? { data: cut(data.data) } : cut(data)
  return { code: cut(code), message: cut(message), ...(data !== undefined && { data: inner }) }
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, answerLimits.keptErrorChars)
  return typeof value === 'object' ? null : value
}

function keptResult(result: unknown, call: ExpectedMember | undefined): unknown {
  if (call?.method === 'eth_getBlockReceipts' && Array.isArray(result)) return result.map(keptReceipt)
  if (!isObject(result)) return result
  if (call?.keeps === 'heads') {
    return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, cut(value)]))
  }
  switch (call?.method) {
    case 'eth_getTransactionReceipt':
    case 'eth_sendRawTransactionSync':
      return keptReceipt(result)
    case 'eth_getBlockByNumber': {
      const { transactions, ...block }: Readonly<Record<string, unknown>> = { ...result, withdrawals: undefined }
      if (!call.seeks || !Array.isArray(transactions)) return block
      return { ...block, transactions: transactions.flatMap(seeking(call.seeks)) }
    }
    default:
      return result
  }
}

function keptReceipt(receipt: unknown): unknown {
  if (!isObject(receipt)) return cut(receipt)
  const { logs, logsBloom: _, ...rest }: Readonly<Record<string, unknown>> = { ...receipt }
  return { ...rest, logs: Array.isArray(logs) ? logs.slice(0, 1).map(() => ({})) : logs }
}

/**
 * The account's own transactions whole, and of others the authorizations that may spend one of its nonces (EIP-7702). Entries that lack a
 * sender or a nonce may be of the account, too.
 */
function seeking({ account, from, through }: SoughtInBody): (entry: unknown) => unknown[] {
  const mayBeSought = (nonce: unknown) => {
    const number = toBigInt(nonce)
    return number === undefined || (number >= from && number <= through)
  }
  return (entry) => {
    if (!isObject(entry)) return [cut(entry)]
    const { hash, nonce, from: sender, authorizationList: list }: Transaction = entry
    const by = toAddress(sender)
    if (by === account.toLowerCase() && mayBeSought(nonce)) return [entry]
    const authorizations = Array.isArray(list)
      ? list.filter((each) => isObject(each) && mayBeSought(nonceOf(each)))
      : []
    const isKept = authorizations.length > 0 || (by === undefined && mayBeSought(nonce))
    return isKept ? [{ hash: cut(hash), nonce: cut(nonce), from: by, authorizationList: authorizations }] : []
  }
}

type Transaction = BatchMember & {
  readonly hash?: unknown
  readonly nonce?: unknown
  readonly from?: unknown
  readonly authorizationList?: unknown
}

function nonceOf(authorization: Transaction): unknown {
  return authorization.nonce
}
