// Carries out what an owner decided: it records the decisions, and only then requests signatures and broadcasts.
import type { Chain } from '../chain/chain.ts'
import type { Plan } from '../domain/decide/plan/decision.ts'
import type { Situation } from '../domain/decide/plan/work.ts'
import { repeatAfter } from '../domain/decide/race/repeat-after.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { logTakenBack } from './log-taken-back.ts'
import { perform } from './perform.ts'
import { byNonce, newId, type Recorded, type RecordedBroadcast, record } from './record.ts'
import { type KnownNow, recordSigned } from './record-signed.ts'
import { signDecision } from './sign.ts'
import { type SigningGroup, splitPlan } from './signing-group.ts'
import type { StepContext } from './step-context.ts'
import type { UnderWay } from './under-way.ts'

/** Returns the record, and whether it changed nothing. Throws as `record` does. */
export async function carryOut(
  context: StepContext,
  chain: Chain,
  ownership: Ownership,
  underWay: UnderWay,
  { work, plan, observation, now }: Omit<Situation, 'policy'> & { readonly plan: Plan },
): Promise<Recorded & { readonly isIdle: boolean }> {
  const { remote } = context.signerOf(work.relayer)
  const { unsigned, groups } = remote
    ? splitPlan(plan, work, observation, remote.groupMax)
    : { unsigned: plan, groups: [] }
  const recorded = await record(context, ownership, work, unsigned, observation, now)
  logTakenBack(unsigned.decisions, context.logger)
  const isIdle = recorded.written.length === 0 && recorded.broadcasts.length === 0 && groups.length === 0
  if (ownership.lost.aborted) return { ...recorded, isIdle }
  for (const group of groups) requestSignatures(context, underWay, group)
  const { doubtfulMs } = repeatAfter(observation, context.policyOf(work.relayer))
  broadcast(context, chain, ownership, underWay, recorded.broadcasts, doubtfulMs)
  return { ...recorded, isIdle }
}

/** Begins to broadcast. No step waits for the answers. `repeatMs`: the pause after a failure. */
function broadcast(
  context: StepContext,
  chain: Chain,
  ownership: Ownership,
  { broadcasts: underWay }: UnderWay,
  broadcasts: readonly RecordedBroadcast[],
  repeatMs: number,
): void {
  if (broadcasts.length === 0) return
  const attempts = broadcasts.map(({ attempt }) => attempt)
  underWay.follow(attempts, perform(context, chain, ownership, broadcasts), repeatMs)
}

/** What was done: nothing; only nonces were bound, so that no transaction with a nonce changed; or more. */
export type Done = 'nothing' | 'bound' | 'more'

/**
 * Records the attempts that a remote signer signed since the last call, and broadcasts them together: two requests have no order. So those that
 * bind nonces are neither recorded nor broadcast before nodes have answered the payloads under way.
 */
export async function broadcastSigned(
  context: StepContext,
  ownership: Ownership,
  underWay: UnderWay,
  known: KnownNow,
): Promise<Done> {
  const groups = underWay.signatures.take(underWay.broadcasts.havePayload)
  const [first] = groups
  if (!first) return 'nothing'
  const done = groups.every(({ group }) => group.purpose === 'bind') ? 'bound' : 'more'
  const broadcasts: RecordedBroadcast[] = []
  for (const signed of groups) {
    broadcasts.push(...(await recordSigned(context, ownership, signed, known)).broadcasts)
    if (ownership.lost.aborted) return done
  }
  broadcasts.sort(byNonce)
  const { relayer } = first.group
  const { doubtfulMs } = repeatAfter({}, context.policyOf(relayer))
  broadcast(context, context.chainOf(relayer), ownership, underWay, broadcasts, doubtfulMs)
  return done
}

function requestSignatures(context: StepContext, { signatures }: UnderWay, group: SigningGroup): void {
  const { relayer, head } = group
  const signing = { signer: context.signerOf(relayer), relayer, head, now: context.clock.now() }
  signatures.request(group, ({ decision }) => signDecision(signing, decision, () => newId(context)))
}
