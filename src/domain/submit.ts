// A client's send: from a parsed request to a stored transaction, and the first refusals.
import { withHold } from './begin-hold.ts'
import { RescindError } from './errors.ts'
import { effectivePrice, feeCap, type Market, tipOf } from './fees.ts'
import { forbids } from './forbid.ts'
import { checkHold, demandsSecondKey, type HoldRequest, holdOf } from './hold.ts'
import type { Address, ApiKeyId, TransactionId } from './ids.ts'
import { checkGasLimit, type GasRules } from './intrinsic-gas.ts'
import type { Labels } from './labels.ts'
import { isPaused, pausedError } from './pause.ts'
import type { Policies } from './policy-table.ts'
import { type CeilingRules, namedPriceMax } from './price-ceiling.ts'
import { ethereumProfile, type NetworkProfile } from './profile.ts'
import type { Relayer } from './relayer.ts'
import { exactlyInGwei } from './shown-amount.ts'
import type { Payload, Transaction } from './transaction.ts'
import type { TimestampMs } from './units.ts'

/** A client's request; the sender is the relayer's. */
export type SendRequest = Omit<Payload, 'from'> & {
  readonly validUntil?: TimestampMs
  /** Stored beside the transaction. */
  readonly labels?: Labels
  readonly hold?: HoldRequest
  /** Checked, and not stored. */
  readonly believed?: BelievedSender
}

/** The account that the client believes to send from. */
export interface BelievedSender {
  readonly from?: Address
  /** Chain ids, each with the name of the member that has it. */
  readonly chains: readonly { readonly name: string; readonly chainId: bigint }[]
}

/** `market`: as last observed. Absent: nothing was. */
export type SendRules = GasRules &
  CeilingRules &
  Partial<Pick<NetworkProfile, 'maxTransactionBytes'>> & { readonly market?: Market }

/**
 * Refuses a send that the relayer's policies forbid or that no node would take, before it is stored. `rules`: of the
 * network, where this replica has it. Throws RELAYER_PAUSED, INVALID_REQUEST, GAS_LIMIT_TOO_LOW, POLICY_VIOLATION.
 */
export function checkSend(
  relayer: Relayer,
  request: SendRequest,
  now: TimestampMs,
  rules: SendRules | undefined,
): void {
  if (isPaused(relayer)) throw pausedError(relayer, 'takes no new transactions')
  if (request.believed) refuseOtherSender(relayer, request.believed)
  if (request.validUntil !== undefined && request.validUntil <= now) {
    throw new RescindError('INVALID_REQUEST', 'valid_until: lies in the past; send a later time, or none')
  }
  checkHold(relayer.policies, request, now)
  checkPrice(relayer.policies, request, rules)
  if (request.gasLimit === undefined && relayer.policies.gasLimitEstimation === false) {
    throw new RescindError(
      'POLICY_VIOLATION',
      'gas_limit: is missing, and gas_limit_estimation of the relayer is off; send a gas_limit',
    )
  }
  const forbidden = forbids(relayer, request)
  if (forbidden !== undefined) throw new RescindError('POLICY_VIOLATION', forbidden)
  checkSize(request, rules)
  if (rules) checkGasLimit(relayer, request, rules)
}

/** A price is money, too: without a cap it is bounded by what is paid elsewhere, unless a second key approves it. */
function checkPrice(policies: Policies, request: SendRequest, rules: SendRules | undefined): void {
  const { pricing } = request
  const { gasPriceCap } = policies
  if (pricing.kind === 'speed') return
  if (gasPriceCap !== undefined) {
    if (feeCap(pricing) <= gasPriceCap) return
    const field = pricing.kind === 'legacy' ? 'gas_price' : 'max_fee_per_gas'
    throw new RescindError(
      'POLICY_VIOLATION',
      `${field}: ${exactlyInGwei(feeCap(pricing))} is above the relayer's gas_price_cap of ${exactlyInGwei(gasPriceCap)}; send a lower fee, or none`,
    )
  }
  const [price, most] = [effectivePrice(pricing, rules?.market?.baseFee), namedPriceMax(rules)]
  if (price <= most || demandsSecondKey(policies, request)) return
  const field = pricing.kind === 'legacy' ? 'gas_price' : 'max_priority_fee_per_gas'
  throw new RescindError(
    'POLICY_VIOLATION',
    `${field}: pays ${exactlyInGwei(price)} for a unit of gas now, and a relayer without gas_price_cap pays at most ${exactlyInGwei(most)}; send a lower fee or a speed, or have gas_price_cap set`,
  )
}

/** The payload was meant for another account, or for another chain. */
function refuseOtherSender({ id, address, chainId }: Relayer, { from, chains }: BelievedSender): void {
  if (from !== undefined && from !== address) {
    throw new RescindError(
      'INVALID_REQUEST',
      `from: is ${from}, and relayer "${id}" sends from ${address}; send through another relayer, or leave it out`,
    )
  }
  const other = chains.find((each) => each.chainId !== BigInt(chainId))
  if (!other) return
  throw new RescindError(
    'INVALID_REQUEST',
    `${other.name}: is ${other.chainId}, and relayer "${id}" is on chain ${chainId}; send through another relayer, or leave it out`,
  )
}

/** Refuses a payload that no pool takes for its size: it would wait for ever, and each page that shows it would be as large. */
function checkSize(request: SendRequest, rules: SendRules | undefined): void {
  const most = rules?.maxTransactionBytes ?? ethereumProfile.maxTransactionBytes
  const bytes = signedBytesMax(request)
  if (bytes <= most) return
  throw new RescindError(
    'INVALID_REQUEST',
    `data: makes a signed transaction of ${bytes} bytes, with its access_list, and pools accept at most ${most} (max_transaction_bytes of the network); send less, or in parts`,
  )
}

export interface Submission {
  readonly id: TransactionId
  readonly sequence: number
  readonly now: TimestampMs
  readonly createdBy?: ApiKeyId
}

export function submit(relayer: Relayer, request: SendRequest, at: Submission): Transaction {
  const { now, createdBy } = at
  const hold = holdOf(relayer.policies, request, now, { ...(createdBy !== undefined && { by: createdBy }) })
  const queued = enqueue(relayer, request, at)
  return hold ? withHold(queued, hold, now) : queued
}

/** The request's transaction, in the queue at once, whatever the policies hold. */
export function enqueue(relayer: Relayer, request: SendRequest, at: Submission): Transaction {
  const { validUntil, believed: _, labels: __, hold: ___, ...payload } = request
  return {
    id: at.id,
    relayerId: relayer.id,
    sequence: at.sequence,
    createdAt: at.now,
    ...(at.createdBy !== undefined && { createdBy: at.createdBy }),
    payload: { ...payload, from: relayer.address },
    origin: 'client',
    ...(validUntil !== undefined && { validUntil }),
    lifecycle: { phase: 'queued' },
    version: 1,
  }
}

/** Type, chain id, nonce, gas limit, signature and the header of the list, each at its largest. */
const fixedBytes = 1 + 9 + 9 + 9 + (1 + 33 + 33) + 4
/** A price that the service chooses: up to 2^96 wei. */
const chosenPriceBytes = 13
const addressBytes = 21
const storageKeyBytes = 33
const headerBytes = 4

/**
 * A bound of the size of a payload once it is signed, before nonce and price are known: at least the bytes in each type of transaction
 * that the service signs, and at most some dozens more.
 */
export function signedBytesMax(payload: Pick<Payload, 'to' | 'value' | 'data' | 'pricing' | 'accessList'>): number {
  const { to, value, data, pricing, accessList = [] } = payload
  const prices =
    pricing.kind === 'speed'
      ? 2 * chosenPriceBytes
      : Math.max(chosenPriceBytes, bytesOf(feeCap(pricing))) + Math.max(chosenPriceBytes, bytesOf(tipOf(pricing)))
  const listed = accessList.reduce(
    (sum, { storageKeys }) => sum + 2 * headerBytes + addressBytes + storageKeyBytes * storageKeys.length,
    headerBytes,
  )
  const receiver = to === undefined ? 1 : addressBytes
  return fixedBytes + prices + receiver + bytesOf(value) + headerBytes + (data.length - 2) / 2 + listed
}

/** The bytes of an amount, with its header. */
function bytesOf(amount: bigint): number {
  return 1 + Math.ceil(amount.toString(16).length / 2)
}
