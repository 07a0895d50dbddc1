// Signs attempts for the decisions that need a signature.
import type { Attempt, AttemptKind } from '../domain/attempt.ts'
import type { PresignOrder } from '../domain/decide/plan/decision.ts'
import type { SigningChange, SigningDecision } from '../domain/decide/plan/traits.ts'
import type { Fees } from '../domain/fees.ts'
import type { TransactionId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import { withBoundValue } from '../domain/sweep.ts'
import { type AccessList, revisionOf, type Transaction } from '../domain/transaction.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs } from '../domain/units.ts'
import type { Signer, SigningPriority, UnsignedTransaction } from '../signers/signer.ts'

interface SigningContext {
  readonly signer: Signer
  readonly relayer: Relayer
  readonly head: BlockNumber
  readonly now: TimestampMs
}

/** A key service gets this time for its tries, and for the queue before it. */
const signingLimitMs = 10_000

/** Signs for a decision. Rejects with SignerUnavailable; nothing is recorded then. `freshId` makes the id of a gap filler. */
export async function signDecision(
  context: SigningContext,
  decision: SigningDecision,
  freshId: () => TransactionId,
): Promise<Attempt> {
  return decision.do === 'fillGap'
    ? signNoOp(context, { ...decision, id: freshId(), kind: 'execute' })
    : signChange(context, decision)
}

/** Signs for a cancellation that nobody requested yet: all other signatures come first, unless an attempt waits. Rejects as signDecision. */
export function signInAdvance(context: SigningContext, order: PresignOrder): Promise<Attempt> {
  const { transaction, fees, gasLimit } = order
  const noOp = { id: transaction.id, nonce: transaction.lifecycle.nonce, fees, gasLimit, kind: 'cancel' } as const
  return signNoOp(context, noOp, transaction.payload.accessList && [], order.isUrgent ? 'replace' : 'presign')
}

/** Signs for a change of a transaction. Rejects as signDecision. */
export async function signChange(context: SigningContext, change: SigningChange): Promise<Attempt> {
  const { transaction, fees } = change
  if (change.do === 'assignNonce') {
    return signPayload(context, withBoundValue(transaction, change), change.nonce, fees, change.gasLimit, 'payload')
  }
  const { nonce } = change.transaction.lifecycle
  if (change.do === 'signNoOp') {
    // An empty list keeps the transaction type of the original.
    const {
      gasLimit,
      transaction: { id, payload },
    } = change
    return signNoOp(context, { id, nonce, fees, gasLimit, kind: 'cancel' }, payload.accessList && [])
  }
  return signPayload(context, transaction, nonce, fees, change.gasLimit, 'replace')
}

async function signPayload(
  context: SigningContext,
  transaction: Transaction,
  nonce: Nonce,
  fees: Fees,
  gasLimit: Gas,
  priority: SigningPriority,
): Promise<Attempt> {
  const revision = revisionOf(transaction)
  const kind = revision === 0 ? 'execute' : 'replace'
  const carried = { ...transaction.payload, gasLimit }
  const signed = await attempt(context, transaction.id, kind, nonce, fees, carried, priority)
  return revision === 0 ? signed : { ...signed, revision }
}

interface NoOp extends Pick<Attempt, 'nonce' | 'fees' | 'gasLimit'> {
  readonly id: TransactionId
  readonly kind: AttemptKind
}

/** A no-op: to the account itself, without value or data. It uses a nonce and has no other effect. */
function signNoOp(
  context: SigningContext,
  { id, nonce, fees, gasLimit, kind }: NoOp,
  accessList?: AccessList,
  priority: SigningPriority = 'cancel',
): Promise<Attempt> {
  const { address } = context.relayer
  const carried = { to: address, value: 0n, data: '0x', gasLimit } as const
  return attempt(context, id, kind, nonce, fees, accessList ? { ...carried, accessList } : carried, priority)
}

async function attempt(
  { signer, relayer, head, now }: SigningContext,
  transactionId: TransactionId,
  kind: AttemptKind,
  nonce: Nonce,
  fees: Fees,
  {
    to,
    value,
    data,
    gasLimit,
    accessList,
  }: Pick<UnsignedTransaction, 'to' | 'value' | 'data' | 'gasLimit' | 'accessList'>,
  priority: SigningPriority,
): Promise<Attempt> {
  const unsigned: UnsignedTransaction = {
    chainId: relayer.chainId,
    nonce,
    fees,
    gasLimit,
    value,
    data,
    ...(to !== undefined && { to }),
    ...(accessList && { accessList }),
  }
  const { hash, raw, signature } = await signer.sign(unsigned, { priority, deadline: now + signingLimitMs })
  return {
    hash,
    transactionId,
    nonce,
    kind,
    fees,
    gasLimit,
    raw,
    signature,
    recordedAt: now,
    recordedAtBlock: head,
    broadcast: { state: 'sending' },
  }
}
