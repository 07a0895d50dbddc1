// What a request may be answered with: its size, its members, and the parts of a large answer that are of use.
import type { Call, SoughtInBody } from './call.ts'

const kib = 1024
const mib = 1024 * kib

/** Limits on the answers of nodes. docs/networks.md has the measured sizes. */
export const answerLimits = {
  /** The most bytes of an answer that is parsed at once: however it is made, that takes less than a millisecond. */
  uncountedBytes: 64 * kib,
  /**
   * The most bytes that the main thread parses, once the structure is counted. A thread of its own, which takes 30 MB, parses larger
   * answers; a full batch of plain receipts has 276 kB.
   */
  mainThreadBytes: 512 * kib,
  /** The most bytes of any answer: a block of 10 MiB, the most that clients exchange, as hex and with the members around it. */
  largestBytes: 24 * mib,
  /** The bytes that the thread returns of a large answer. */
  keptBytes: 4 * mib,
  /** Characters of an error's message and of its data that a large answer keeps. The data may hold a text as hex. */
  keptErrorChars: 16 * kib,
  /** An answer holds its bytes of these budgets from `uncountedBytes` on until it is parsed. One endpoint can't use up those of the others. */
  endpointBytes: 24 * mib,
  networkBytes: 72 * mib,
  /** Brackets and commas: one for so many bytes, and some more. Real answers have one for 25 to 70 bytes. */
  bytesPerMark: 10,
  marksFree: 4_096,
  depthMax: 32,
} as const

/** The most bytes of an answer that is a number, a hash or a name. A node's error takes more than these. */
const smallBytes = 16 * kib

/** The answers that hold more. All others are small. */
const largerBytes: Readonly<Record<string, number>> = {
  // The joint call returns 17 kB for 256 accounts, and a rollup's oracle a word.
  eth_call: 64 * kib,
  eth_feeHistory: 64 * kib,
  eth_getCode: 64 * kib,
  // A pool takes 128 KiB of signed bytes, and the storage keys of an access list double as hex.
  eth_getTransactionByHash: mib,
  eth_getTransactionBySenderAndNonce: mib,
  // Some 1,500 transfers of one account.
  txpool_contentFrom: mib,
  eth_getTransactionReceipt: answerLimits.largestBytes,
  eth_getBlockReceipts: answerLimits.largestBytes,
  eth_sendRawTransactionSync: answerLimits.largestBytes,
}

/** Hashes of 14,285 transfers in a block of 300 million gas take 1 MB. */
const headerBytes = 2 * mib

/** Methods whose payload decides how long the node computes, and how large the answer or the error becomes. */
const payloadMethods: readonly string[] = ['eth_call', 'eth_estimateGas', 'linea_estimateGas', 'eth_createAccessList']

/** Whether a client's payload shapes the answer. The service's own calls name themselves. */
export function isShapedByPayload({ method, shapedBy }: Call): boolean {
  return shapedBy !== 'service' && (payloadMethods.includes(method) || /^(?:debug|trace)_/.test(method))
}

/** The most bytes of the answer to this call alone. */
function answerBytesMaxOf(call: Call): number {
  if (isShapedByPayload(call)) return answerLimits.largestBytes
  if (call.method === 'eth_getBlockByNumber') return isBody(call) ? answerLimits.largestBytes : headerBytes
  return largerBytes[call.method] ?? smallBytes
}

/** Whether an honest node may exceed the limit, because a payload made the answer large. */
export function mayExceed(call: Call): boolean {
  return answerBytesMaxOf(call) === answerLimits.largestBytes
}

/** A block with its transactions, not only their hashes. */
function isBody({ method, params }: Call): boolean {
  return method === 'eth_getBlockByNumber' && params[1] === true
}

/** All that a block holds: of several in one request, a thread would have to parse the answer. */
export function isOfWholeBlock(call: Call): boolean {
  return isBody(call) || call.method === 'eth_getBlockReceipts'
}

export interface ExpectedAnswer {
  readonly bytesMax: number
  readonly calls: readonly ExpectedMember[]
}

export interface ExpectedMember {
  readonly id: number
  readonly method: string
  /** The account and nonces that the caller looks for in a block with its transactions. */
  readonly seeks?: SoughtInBody
  readonly keeps?: Call['keeps']
}

/** The answer to a batch: its limit is the sum of its calls' limits, up to that of the largest answer. */
export function expectedAnswer(requests: readonly { readonly id: number; readonly call: Call }[]): ExpectedAnswer {
  const sum = requests.reduce((bytes, { call }) => bytes + answerBytesMaxOf(call), 0)
  return {
    bytesMax: Math.min(answerLimits.largestBytes, sum),
    calls: requests.map(({ id, call }) => expectedMember(id, call)),
  }
}

export function expectedMember(id: number, { method, seeks, keeps }: Call): ExpectedMember {
  return { id, method, ...(seeks && { seeks }), ...(keeps && { keeps }) }
}
