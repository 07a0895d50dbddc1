// By the owner: surveys its relayers without open transactions, whose steps observe nothing. An operator reads that their nodes are
// silent or their account is empty before a client's send waits for it.
import { type Chain, ChainUnavailable } from '../chain/chain.ts'
import { inquire } from '../domain/decide/facts/inquire.ts'
import { lacksNothing } from '../domain/decide/plan/lacks.ts'
import type { Work } from '../domain/decide/plan/work.ts'
import { isIdle } from '../domain/decide/rules/holds.ts'
import { freeFunds } from '../domain/decide/terms/funds.ts'
import { isHeadStalled } from '../domain/decide/waits/head-stalled.ts'
import type { RelayerId, TransactionId } from '../domain/ids.ts'
import { reasonsAgainstNextSend, withNextSend } from '../domain/preview/next-send.ts'
import type { NetworkPolicy, Relayer } from '../domain/relayer.ts'
import type { IdleSurvey, RelayerObserver } from '../domain/relayer-observer.ts'
import type { Reason } from '../domain/wait-facts.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import { freshId, type Random } from '../ops/random.ts'
import type { Signer } from '../signers/signer.ts'
import type { Store } from '../store/store.ts'
import type { RecordingReports } from './record-reports.ts'

interface Surroundings {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: Pick<RelayerObserver, 'surveyed'>
  readonly chainOf: (relayer: Relayer) => Chain
  readonly signerOf: (relayer: Relayer) => Signer
  readonly policyOf: (relayer: Relayer) => NetworkPolicy
}

interface Surveying {
  readonly context: Surroundings
  readonly relayers: () => readonly Relayer[]
  /** Whether this process advances the relayer. */
  readonly owns: (relayer: RelayerId) => boolean
  readonly reports: Pick<RecordingReports, 'isDoubtful' | 'isUnseen' | 'looks'>
  readonly wake: (relayer: RelayerId) => void
}

/** A survey of a relayer costs a call for its balance, and one or two more that relayers of one network share. */
const usualMs = 300_000
/** Pause between surveys of a relayer with findings: an operator who acts wants to see the effect. */
const heldMs = 60_000
const silentMs = 30_000
/** A count that the only node has to repeat: three readings over 15 seconds, as before a send. */
const doubtedMs = 5_000
/** Surveys at once: they share calls. */
const atOnce = 100

export function surveyIdle({ context, relayers, owns, reports, wake }: Surveying): AsyncDisposable {
  const { clock, logger, observer } = context
  const { looks } = reports

  async function surveyOne({ id }: Relayer, signal: AbortSignal): Promise<void> {
    const work = await context.store.reads.work(id, 1)
    const survey = work && isIdle(work, clock.now()) ? await observeNextSend(context, work) : undefined
    if (signal.aborted || !owns(id)) return
    const isSilent = survey?.findings.some(({ condition }) => condition === 'node_unreachable') === true
    // A node that restarts is back at the second look.
    const isFirst = isSilent && looks.get(id)?.isSilent !== true
    looks.set(id, { nextAt: clock.elapsed() + waitAfter(survey, isSilent, isFirst), isSilent })
    // A relayer with open transactions is reported by its steps.
    if (work && survey && !isFirst) observer.surveyed(work.relayer, survey)
  }

  async function surveyDue(signal: AbortSignal): Promise<void> {
    const now = clock.elapsed()
    const ours = relayers().filter(({ id }) => owns(id))
    // Without a head no step begins, so nothing would report that no node answers.
    for (const { id } of ours) if (reports.isUnseen(id)) wake(id)
    const due = ours.filter(({ id }) => now >= (looks.get(id)?.nextAt ?? 0) || reports.isDoubtful(id))
    for (let first = 0; first < due.length && !signal.aborted; first += atOnce)
      await Promise.all(due.slice(first, first + atOnce).map((each) => surveyOne(each, signal)))
  }

  const lines = {
    began: 'relayers without open transactions could not be looked at; trying again',
    over: 'relayers without open transactions are looked at again',
  }
  return inRounds({ clock, logger, everyMs: 1_000, lines, round: surveyDue })
}

function waitAfter(survey: IdleSurvey | undefined, isSilent: boolean, isFirst: boolean): number {
  if (isFirst) return 0
  if (isSilent) return silentMs
  const findings = survey?.findings ?? []
  if (findings.some((each) => each.condition === 'gap_unconfirmed' && each.facts.of === 'count')) return doubtedMs
  return findings.length > 0 ? heldMs : usualMs
}

async function observeNextSend(context: Surroundings, work: Work): Promise<IdleSurvey> {
  const now = context.clock.now()
  const next = { id: freshId<TransactionId>(context.random, now), now }
  const policy = context.policyOf(work.relayer)
  const chain = context.chainOf(work.relayer)
  try {
    // A step that follows reads the balance for itself: this one would be remembered for it.
    const { balance: _, ...inquiry } = inquire(
      withNextSend(work, next),
      lacksNothing,
      policy.profile,
      chain.gasFigures(),
    )
    const [observed, balance] = await Promise.all([chain.observe(inquiry), chain.balance(work.relayer.address)])
    const { head, nonce } = observed
    // Nothing is in flight, so the balance of some blocks ago is the same.
    const observation = { ...observed, balance, balanceReadAt: head.number, lagged: { balance, nonce } }
    const reasons = reasonsAgainstNextSend(work, observation, policy, next)
    const isStalled = isHeadStalled(work, observed, now)
    const stalled: Reason[] = isStalled ? [{ condition: 'head_stalled', facts: { block: head.number } }] : []
    const free = freeFunds(work, observation, policy)
    const findings = [...reasons, ...stalled, ...signerOutage(context, work.relayer)]
    return { findings, balance, ...(free !== undefined && { free }) }
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    return { findings: [{ condition: 'node_unreachable', facts: { of: 'network', words: error.message } }] }
  }
}

function signerOutage({ signerOf }: Surroundings, relayer: Relayer): Reason[] {
  const outage = signerOf(relayer).remote?.outage()
  if (!outage) return []
  const { code, isPermanent } = outage
  return [{ condition: 'signer_unavailable', facts: { signerId: relayer.signerId, code, isPermanent } }]
}
