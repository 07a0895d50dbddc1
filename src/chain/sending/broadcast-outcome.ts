// Decides what a node's answer to eth_sendRawTransaction proves, and merges the outcomes of several nodes. The only place that matches
// prose about broadcasts.
//
// Codes prove nothing here: -32000 stands for everything, and Besu's -32001, -32004 and -32006 mean "not found", "not
// supported" and "version not supported" in EIP-1474. So the message decides, and an unrecognized message is `unknown`:
// the attempt may be in a pool all the same. tooling/broadcast-samples.ts holds recorded messages of clients.
import type { BroadcastOutcome, RejectionCode } from '../../domain/attempt.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Wei } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import type { Answer } from '../nodes/call.ts'
import { wordsBeforeRevert } from '../nodes/revert-reason.ts'

/**
 * The first match decides, so the specific stands before the general. A client is named where only that client says so.
 */
const prose: readonly (readonly [RegExp, RejectionCode | 'alreadyKnown'])[] = [
  // Not "unknown transaction type".
  [/already known|AlreadyKnown|\bknown transaction|already imported|existing txn with same hash/i, 'alreadyKnown'],
  [/Pool\(AlreadyImported\)|tx already in mempool|tx already exists in cache/i, 'alreadyKnown'],
  [/pending transaction with same hash already exists|transaction already finalized/i, 'alreadyKnown'],
  [/OwnNonceAlreadyUsed/, 'alreadyKnown'], // Nethermind before 1.25, of a transaction that it holds as its own

  // A delegated account (EIP-7702) may have one transaction in flight, the next in order. Both refusals pass with time.
  [/in-flight transaction limit reached|delegation authority has pending transaction/i, 'poolFull'],
  [/gapped-nonce tx from delegated accounts|delegation nonce gap/i, 'nonceGap'],
  // The pool for another type family, or for set-code transactions, has reserved the account.
  [/address already reserved|authority already reserved|pending transaction type conflict/i, 'typeConflict'],
  [/can't replace blob-txn with a non-blob-txn/i, 'typeConflict'],

  [
    /replacement transaction underpriced|could not replace existing tx|ReplacementNotAllowed/i,
    'replacementUnderpriced',
  ],
  [/another tx which has the same nonce in the tx pool|gas price not enough to bump/i, 'replacementUnderpriced'],
  [/Pool\(TooLowPriority|priority is too low: \(\d+ vs \d+\)/i, 'replacementUnderpriced'],
  // Only a full pool of geth checks whether a gapped transaction may push another one out.
  [/future transaction tries to replace pending/i, 'poolFull'],
  // Erigon calls a sender with too many cheap transactions a spammer: its share of the pool is used up.
  [/txpool is full|sub-pool is full|\bspammer\b/i, 'poolFull'],
  [/\bqueue full\b|pending tx pool full|mempool is full|transaction pool is full/i, 'poolFull'],
  [/tx dropped due to L2 congestion/i, 'poolFull'],

  [/nonce too low|OldNonce|Pool\(Stale\)|invalid transaction nonce/i, 'nonceTooLow'],
  [/nonce too high|nonce too far in future|NonceGap|nonce is too distant/i, 'nonceGap'],

  // Before the funds, since geth names the cap in ether. The cap is that node's own limit.
  [/exceeds the configured cap|transaction fee cap exceeded/i, 'nodeLimit'],
  // Nitro: the `valid_until` that was sent along has passed. The service ends the transaction by its own clock.
  [/TimestampMax condition not met/i, 'nodeLimit'],
  [
    /insufficient funds|InsufficientFunds|upfront cost exceeds account balance|doesn't have enough funds/i,
    'insufficientFunds',
  ],
  [/insufficient balance for transfer|not enough funds for gas|would cause overdraft/i, 'insufficientFunds'],

  [/intrinsic gas too low|insufficient gas for floor data gas cost/i, 'invalid'],
  [/exceeds block gas limit|transaction gas limit too high|oversized data|max initcode size exceeded/i, 'invalid'],
  [/intrinsic gas too high|invalid chain ?id/i, 'invalid'], // anvil and geth
  [/requires at least \d+ gas|requires gas floor of|exceeds transaction gas cap|init code length is/i, 'invalid'], // Hardhat
  [/invalid sender|transaction type not supported|priority fee per gas higher than max fee/i, 'invalid'],
  [/intrinsic gas exceeds gas limit|Gas limit \d+ exceeded cap of/i, 'invalid'],
  [/gas uint64 overflow|^invalid signature$|forbidden sender address|SenderIsContract/i, 'invalid'],
  [/basic cost is above the gas limit|call failed: GasLimitExceeded/i, 'invalid'],
  [/Not enough gas for transaction validation/i, 'invalid'],

  // Nethermind before 1.25 says FeeTooLow and FeeTooLowToCompete.
  [/underpriced|FeeTooLow|fee too low|gas price below (?:configured )?minimum|below current base fee/i, 'feeTooLow'],
  [/less than block base fee|too low for the next block/i, 'feeTooLow'],
  [/\bgas price too low\b|is below configured minimum gas price|insufficient fee; got/i, 'feeTooLow'],
  [/gas price lower than block's minimum/i, 'feeTooLow'],
]

/** How a node that refuses a price names the smallest tip, or price, that it accepts. */
const minimumProse: readonly RegExp[] = [
  /minimum needed (\d+)/i, // geth, bor, BSC: "gas tip cap 1, minimum needed 25000000000"
  /tip needed (\d+)/i, // geth 1.13: "tip needed 25000000000, tip permitted 1"
]

/** The named minimum in wei per gas. Undefined where the answer names no minimum. */
export function minimumTipIn(answer: Answer): Wei | undefined {
  if (answer.kind !== 'rpcError' || meaningOf(answer) !== 'feeTooLow') return undefined
  const words = ownWords(answer)
  const named = minimumProse.map((pattern) => pattern.exec(words)?.[1]).find((digits) => digits !== undefined)
  return named === undefined ? undefined : BigInt(named)
}

/**
 * Whether a refusal may come from a node of another chain. geth checks the chain id with the signature, so older ones
 * only say "invalid sender".
 */
export function doubtsChain(answer: Answer): boolean {
  return answer.kind === 'rpcError' && /chain ?id|wrong ?chain|invalid sender/i.test(ownWords(answer))
}

type RpcError = Extract<Answer, { kind: 'rpcError' }>
type Meaning = RejectionCode | 'alreadyKnown'

function meaningOf(error: RpcError): Meaning | undefined {
  const isRevert = wordsBeforeRevert(error) !== undefined
  return meaningIn(ownWords(error)) ?? (isRevert ? undefined : refusalIn(error.data))
}

function meaningIn(words: string): Meaning | undefined {
  return prose.find(([pattern]) => pattern.test(words))?.[1]
}

/** Words behind a revert classify nothing: a contract chooses them. */
function ownWords({ code, message }: Pick<RpcError, 'code' | 'message'>): string {
  return wordsBeforeRevert({ code, message }) ?? message
}

/** Data may be as long as a block. */
const dataMaxChars = 400

/** The meaning of the words in an error's data, which may be those of another node about other bytes: a refusal at most. */
function refusalIn(data: unknown): Meaning | undefined {
  const text = JSON.stringify(data) ?? ''
  const code = /"code":3\b/.test(text) ? 3 : 0
  const meaning = meaningIn(ownWords({ code, message: text.slice(0, dataMaxChars) }))
  return meaning === 'alreadyKnown' || meaning === 'nonceTooLow' ? undefined : meaning
}

/**
 * `accepted` is a returned hash. It does not prove that the pool has the transaction: geth also returns one for a
 * transaction that it only tracks locally. A rate limit inside an HTTP 200, Besu's bare "Internal error" and every
 * unrecognized message are `unknown`.
 */
export function broadcastOutcome(answer: Answer, hash: Hash): BroadcastOutcome {
  switch (answer.kind) {
    case 'unknown':
    case 'unsent':
      return { kind: answer.kind, message: answer.message }
    case 'value': {
      // EIP-7966 returns the receipt. A sequencer's may have a block hash of zeros: it is ordered, and in no block yet.
      if (isSame(memberOf(answer.value, 'transactionHash'), hash)) return { kind: 'accepted', code: 'ordered' }
      if (isSame(answer.value, hash)) return { kind: 'accepted' }
      return { kind: 'unknown', message: 'the node returned another hash' }
    }
    case 'rpcError': {
      const waited = afterWaiting(answer, hash)
      if (waited) return waited
      const meaning = meaningOf(answer)
      if (meaning === undefined) {
        return { kind: 'unknown', code: 'unrecognized', message: `${answer.message} (${answer.code})` }
      }
      return meaning === 'alreadyKnown'
        ? { kind: meaning }
        : { kind: 'rejected', code: meaning, message: answer.message }
    }
  }
}

/** Whether the error is about a transaction: by EIP-7966's codes, or in the recorded words of a client. */
export function isAboutTransaction(error: RpcError): boolean {
  return [4, 5, 6].includes(error.code) || meaningOf(error) !== undefined
}

/** EIP-7966, "Errors": what they prove, whatever their message says. */
function afterWaiting({ code, message, data }: RpcError, hash: Hash) {
  // The node has it, and it was not mined in time.
  if (code === 4 && isSame(data, hash)) return { kind: 'accepted' } as const
  // Not in the pool, or in a part of it that waits: the EIP says both.
  if (code === 5) return { kind: 'unknown', code: 'unrecognized', message: `${message} (${code})` } as const
  return code === 6 ? ({ kind: 'rejected', code: 'nonceGap', message } as const) : undefined
}

function isSame(named: unknown, hash: Hash): boolean {
  return typeof named === 'string' && named.toLowerCase() === hash.toLowerCase()
}

/** Strongest evidence first that a node may have the bytes. A refusal by another node does not refute it. */
const evidence: readonly BroadcastOutcome['kind'][] = ['accepted', 'alreadyKnown', 'unknown', 'rejected', 'unsent']

/**
 * The refusals that prove most about the chain and about rivals in the pools come first, then those that differ between
 * nodes. `invalid` counts only if every node that was reached returned it.
 */
const refusals: readonly RejectionCode[] = [
  'nonceTooLow',
  'replacementUnderpriced',
  'insufficientFunds',
  'feeTooLow',
  'nonceGap',
  'typeConflict',
  'poolFull',
  'nodeLimit',
  'invalid',
]

/** Merges the outcomes of several nodes for the same bytes. `unsent` only where both are. */
export function mergeOutcomes(one: BroadcastOutcome, other: BroadcastOutcome): BroadcastOutcome {
  const distance = evidence.indexOf(one.kind) - evidence.indexOf(other.kind)
  if (distance !== 0) return distance < 0 ? one : other
  // An unrecognized error is worth reporting; a missing answer is not.
  if (one.kind === 'unknown' && other.kind === 'unknown') return one.code === undefined ? other : one
  if (one.kind !== 'rejected' || other.kind !== 'rejected') return one
  return refusals.indexOf(one.code) <= refusals.indexOf(other.code) ? one : other
}

/** Whether the next endpoint may do better: the outcome proved nothing, or the refusal is specific to one node. */
export function worthAnother(outcome: BroadcastOutcome): boolean {
  if (outcome.kind === 'unsent' || outcome.kind === 'unknown') return true
  return outcome.kind === 'rejected' && specific.includes(outcome.code)
}

/** Rejections by one node's own limits, pool or rules: it may follow an old fork. */
const specific: readonly RejectionCode[] = ['nodeLimit', 'poolFull', 'invalid']

/**
 * Whether the refusal is for the price. One endpoint's word raises none while another holds the bytes, and would have us bid against
 * ourselves. What a pool lacks it may take.
 */
export function isForPrice(outcome: BroadcastOutcome): boolean {
  return outcome.kind === 'rejected' && (outcome.code === 'replacementUnderpriced' || outcome.code === 'feeTooLow')
}
