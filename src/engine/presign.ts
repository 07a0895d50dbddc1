// Signs no-ops before anybody cancels, beside the steps and after all other signatures. First the hash is durable, then
// the sealed bytes. A process that dies in between leaves a hash without use.
import type { Attempt } from '../domain/attempt.ts'
import type { PresignOrder } from '../domain/decide/plan/decision.ts'
import type { Situation } from '../domain/decide/plan/work.ts'
import { missingNoOps } from '../domain/decide/signer/presign.ts'
import type { Relayer } from '../domain/relayer.ts'
import { backOff, type Clock } from '../ops/clock.ts'
import { fence, type Ownership } from '../ownership/ownership.ts'
import { type RemoteKey, SignerUnavailable } from '../signers/signer.ts'
import type { Session } from '../store/store.ts'
import { sealNoOp } from './seal-no-op.ts'
import { signInAdvance } from './sign.ts'
import type { StepContext } from './step-context.ts'

export interface Presigning {
  /** Whether no-ops may be requested now: none are under way, and the signer did not fail just before. */
  isFree(): boolean
  /** Whether the signatures that ended last did not fail. */
  works(): boolean
  /** Requests signatures, which `store` gets. Afterwards `onEnd` is called, also after a failure. */
  request<T>(signatures: readonly Promise<T>[], store: (signed: readonly T[]) => Promise<void>): void
  /** Throws the error of an end that was no failure of the signer, once. */
  throwLateError(): void
  /** Resolves when nothing is being stored. A signature under way is not stored once the ownership is over. */
  ended(): Promise<void>
}

export function trackPresigning(clock: Clock, onEnd: () => void): Presigning {
  let isUnderWay = false
  let failures = 0
  let retryAtMs = Number.NEGATIVE_INFINITY
  let storing: Promise<void> | undefined
  const errors: unknown[] = []

  async function collect<T>(signatures: readonly Promise<T>[]): Promise<readonly T[]> {
    const results = await Promise.allSettled(signatures)
    const rejected = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    errors.push(...rejected.filter((error) => !(error instanceof SignerUnavailable)))
    failures = rejected.length === 0 ? 0 : failures + 1
    if (failures > 0) retryAtMs = clock.elapsed() + backOff(failures - 1)
    return results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }

  async function run<T>(signatures: readonly Promise<T>[], store: (signed: readonly T[]) => Promise<void>) {
    try {
      const signed = await collect(signatures)
      storing = signed.length > 0 ? store(signed) : undefined
      await storing
    } catch (error) {
      errors.push(error)
    } finally {
      storing = undefined
      isUnderWay = false
      onEnd()
    }
  }

  return {
    works: () => failures === 0,
    isFree: () => !isUnderWay && clock.elapsed() >= retryAtMs,
    request(signatures, store) {
      isUnderWay = true
      void run(signatures, store)
    },
    throwLateError() {
      if (errors.length > 0) throw errors.shift()
    },
    async ended() {
      await storing?.catch(() => undefined)
    },
  }
}

/**
 * Requests as many as the signer takes at once, `first` before all others. No step waits for them. Those that no attempt waits
 * for have the lowest priority of all signatures. The caller has found `presigning` free before it read the rows.
 */
export function presign(
  context: StepContext,
  ownership: Ownership,
  presigning: Presigning,
  remote: RemoteKey,
  situation: Situation,
  first: readonly PresignOrder[],
): void {
  if (remote.outage() || !context.vault.canSeal) return
  const others = missingNoOps(situation).filter(
    ({ transaction: { id } }) => !first.some((each) => each.transaction.id === id),
  )
  const orders = [...first, ...others].slice(0, remote.groupMax)
  if (orders.length === 0) return
  const { relayer } = situation.work
  const { number: head } = situation.observation.head
  const signing = { signer: context.signerOf(relayer), relayer, head, now: context.clock.now() }
  const signatures = orders.map(async (order) => ({ order, attempt: await signInAdvance(signing, order) }))
  presigning.request(signatures, (signed) => store(context, ownership, relayer, signed))
}

interface SignedOrder {
  readonly order: PresignOrder
  readonly attempt: Attempt
}

async function store(
  { store, clock, vault }: StepContext,
  ownership: Ownership,
  relayer: Relayer,
  all: readonly SignedOrder[],
): Promise<void> {
  const { id } = relayer
  if (ownership.lost.aborted) return
  await store.commit(async (session) => {
    await fence(session, ownership)
    if (!(await stillWanted(session, relayer))) return
    for (const { attempt } of all) await session.recordPresigned(id, { ...attempt, signedAt: clock.now() })
  }, id)
  if (ownership.lost.aborted) return
  await store.commit(async (session) => {
    await fence(session, ownership)
    if (!(await stillWanted(session, relayer))) return
    for (const { attempt, order } of all) {
      const { nonce, hash } = attempt
      await session.sealPresigned({ relayerId: id, nonce, hash, sealed: sealNoOp(vault, id, attempt) })
      for (const outdated of order.outdated) await session.removePresigned(id, { nonce, hash: outdated })
    }
    // The chain may have spent a nonce for good meanwhile.
    await session.prunePresigned(id)
  }, id)
}

/** Whether the policy still wants pre-signed no-ops. A change that was answered meanwhile has deleted all of them. */
async function stillWanted(session: Session, { id, address, chainId }: Relayer): Promise<boolean> {
  const fresh = await session.relayer(id)
  const isSameAccount = fresh?.address === address && fresh.chainId === chainId
  return isSameAccount && (fresh.policies.presignCancel ?? 0) > 0
}
