// One relayer on the production store, with a chain and a clock that follow the test.
import type { CommandContext } from '../../src/commands/context.ts'
import { openQueueRooms } from '../../src/commands/queue-room.ts'
import { cancelTransaction } from '../../src/commands/transactions/cancel.ts'
import { cancelPending } from '../../src/commands/transactions/cancel-pending.ts'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import { limits } from '../../src/config/limits.ts'
import { osakaRules } from '../../src/domain/gas-figures.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import type { InPhase, Lifecycle, Transaction } from '../../src/domain/transaction.ts'
import { isInPhase } from '../../src/domain/transaction.ts'
import { trackBroadcasts } from '../../src/engine/broadcasts-under-way.ts'
import { trackPresigning } from '../../src/engine/presign.ts'
import { trackSignatures } from '../../src/engine/signatures-under-way.ts'
import { type OwnerMemory, step as stepOnce } from '../../src/engine/step.ts'
import type { StepContext } from '../../src/engine/step-context.ts'
import type { UnderWay } from '../../src/engine/under-way.ts'
import { bell } from '../../src/ops/bell.ts'
import { noMetrics } from '../../src/ops/metrics.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret } from '../../src/ops/secret.ts'
import { openVault } from '../../src/ops/vault.ts'
import type { Ownership } from '../../src/ownership/ownership.ts'
import { openCurve } from '../../src/signers/curve.ts'
import { openPlainSigner } from '../../src/signers/key-signer.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { receiver, somePolicies, somePolicy, someRelayer } from '../domain/some.ts'
import type { StoreUnderTest } from '../store/contract.ts'
import { quiet } from '../store/open-store.ts'
import { type ManualClock, manualClock } from '../support/manual-clock.ts'
import { openTestedStore } from '../support/open-tested-store.ts'
import { type ScriptedChain, scriptedChain } from './scripted-chain.ts'

export interface Workplace extends AsyncDisposable {
  readonly under: StoreUnderTest
  readonly context: StepContext
  readonly commands: CommandContext
  readonly chain: ScriptedChain
  readonly clock: ManualClock
  readonly relayer: Relayer
  /** The relayers that commands woke, in order. */
  readonly woken: RelayerId[]
  own(): Promise<Ownership & { readonly release: AbortController }>
  send(changes?: Partial<SendRequest>): Promise<TransactionId>
  cancel(id: TransactionId): Promise<Transaction>
  cancelAll(): Promise<void>
  read(id: TransactionId): Promise<Transaction>
  readAs<P extends Lifecycle['phase']>(id: TransactionId, phase: P): Promise<InPhase<P>>
}

const standing = manualClock()

/** A step, and the answers to its broadcasts. */
export const step: typeof stepOnce = async (context, ownership, carried, underWay) => {
  const result = await stepOnce(context, ownership, carried, underWay)
  await underWay.broadcasts.ended()
  underWay.broadcasts.throwLateError()
  return result
}

/** For a step by itself. */
export const noneHanging: UnderWay = {
  wake: () => {},
  urgent: bell(),
  broadcasts: trackBroadcasts(
    () => {},
    () => {},
  ),
  signatures: trackSignatures(standing, () => {}),
  presigning: trackPresigning(standing, () => {}),
}

/** For a step of an owner that has looked around. */
export const nothingUnknown: OwnerMemory = { pool: false, balance: false, lostHistory: 'none' }

export const request: SendRequest = {
  to: receiver,
  value: 1n,
  data: '0x',
  gasLimit: 21_000,
  pricing: { kind: 'speed', speed: 'average' },
}

export async function openWorkplace(policies: Partial<Policies> = {}): Promise<Workplace> {
  const under = await openTestedStore()
  const { store } = under
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  await store.commit((session) => session.saveRelayer(relayer))
  const clock = manualClock()
  const chain = scriptedChain()
  const random = systemRandom()
  const vault = openVault({ current: secret(Buffer.alloc(32, 7).toString('base64')), previous: [] }, random)
  const signer = openPlainSigner('dev', devAccount(0).key, await openCurve(quiet))
  const woken: RelayerId[] = []
  const wake = (id: RelayerId) => void woken.push(id)
  const profileOf = () => ({ ...somePolicy.profile, figures: osakaRules })
  const commands: CommandContext = { store, clock, random, queueRooms: openQueueRooms(100), wake, profileOf }
  const read = async (id: TransactionId) => {
    const found = await store.reads.transaction(relayer.id, id)
    if (!found) throw new Error(`${id} is gone`)
    return found
  }
  return {
    under,
    context: {
      store,
      vault,
      clock,
      random,
      logger: quiet,
      observer: noMetrics.relayers,
      chainOf: () => chain,
      signerOf: () => signer,
      limits,
      policyOf: () => somePolicy,
    },
    commands,
    chain,
    clock,
    relayer,
    woken,
    async own() {
      const epoch = await store.commit((session) => session.acquire(relayer.id))
      if (epoch === undefined) throw new Error('no such relayer')
      const release = new AbortController()
      return { relayer: relayer.id, epoch, lost: release.signal, isOver: () => false, release }
    },
    send: async (changes = {}) => (await submitTransaction(commands, relayer.id, { ...request, ...changes })).id,
    cancel: async (id) => (await cancelTransaction(commands, relayer.id, id)).transaction,
    cancelAll: async () => {
      await cancelPending(commands, relayer.id)
    },
    read,
    async readAs(id, phase) {
      const found = await read(id)
      if (!isInPhase(found, phase)) throw new Error(`${id} is ${found.lifecycle.phase}, not ${phase}`)
      return found
    },
    [Symbol.asyncDispose]: () => under[Symbol.asyncDispose](),
  }
}
