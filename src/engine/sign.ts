// Signs attempts for the decisions that need a signature. Signing is slow, so a step signs all of them at once.
import type { Attempt, AttemptKind } from '../domain/attempt.ts'
import type { SigningChange } from '../domain/decide/decision.ts'
import type { Fees } from '../domain/fees.ts'
import type { TransactionId } from '../domain/ids.ts'
import type { Relayer } from '../domain/relayer.ts'
import { type AccessList, revisionOf, type Transaction } from '../domain/transaction.ts'
import type { BlockNumber, Gas, Nonce, TimestampMs } from '../domain/units.ts'
import type { Signer, UnsignedTransaction } from '../signers/signer.ts'

export interface SigningContext {
  readonly signer: Signer
  readonly relayer: Relayer
  readonly head: BlockNumber
  readonly now: TimestampMs
}

/** Rejects when the signer can't be reached; nothing is recorded then. */
export async function signChange(context: SigningContext, change: SigningChange): Promise<Attempt> {
  const { transaction, fees } = change
  if (change.do === 'assignNonce') {
    return signPayload(context, transaction, change.nonce, fees, change.gasLimit)
  }
  const { nonce } = change.transaction.lifecycle
  if (change.do === 'takeOver') {
    // An empty list keeps the transaction type of the original.
    const {
      gasLimit,
      transaction: { id, payload },
    } = change
    return signNoOp(context, { id, nonce, fees, gasLimit, kind: 'cancel' }, payload.accessList && [])
  }
  return signPayload(context, transaction, nonce, fees, change.gasLimit)
}

async function signPayload(
  context: SigningContext,
  transaction: Transaction,
  nonce: Nonce,
  fees: Fees,
  gasLimit: Gas,
): Promise<Attempt> {
  const revision = revisionOf(transaction)
  const kind = revision === 0 ? 'execute' : 'replace'
  const signed = await attempt(context, transaction.id, kind, nonce, fees, { ...transaction.payload, gasLimit })
  return revision === 0 ? signed : { ...signed, revision }
}

interface NoOp extends Pick<Attempt, 'nonce' | 'fees' | 'gasLimit'> {
  readonly id: TransactionId
  readonly kind: AttemptKind
}

/** A no-op: to the account itself, without value or data. It uses a nonce and has no other effect. */
export function signNoOp(
  context: SigningContext,
  { id, nonce, fees, gasLimit, kind }: NoOp,
  accessList?: AccessList,
): Promise<Attempt> {
  const { address } = context.relayer
  const carried = { to: address, value: 0n, data: '0x', gasLimit } as const
  return attempt(context, id, kind, nonce, fees, accessList ? { ...carried, accessList } : carried)
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
  const { hash, raw, signature } = await signer.sign(unsigned)
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
