// Builds a run: the chain, the nodes, the network between them and the service, the machine of its processes, and the checks.

import { privateKeyToAddress } from 'viem/accounts'
import type { Hash, Hex } from '../src/domain/ids.ts'
import { payloadFromRow } from '../src/store/transactions/rows/payload-row.ts'
import { dice } from '../tooling/dice.ts'
import { openBackends } from './chain/backends.ts'
import { accountAt, openBlocks } from './chain/blocks.ts'
import { brokenContract } from './chain/failing-estimates.ts'
import { formOf, gasAround, gasOf, gasRulesAt } from './chain/gas-rules.ts'
import { flakyContract } from './chain/mine.ts'
import { type NodeWorld, offer, type SimNode } from './chain/node.ts'
import { openPool } from './chain/pool.ts'
import { decode, forgetTransactions, isNoOp } from './chain/transaction.ts'
import { watchBids } from './check/bids.ts'
import { watchBlindBackends } from './check/blind-backends.ts'
import { watchBulkTerms } from './check/bulk-terms.ts'
import { watchBytes } from './check/bytes.ts'
import { watchCostBounds } from './check/cost-bounds.ts'
import { watchEstimates } from './check/estimates.ts'
import { watchFinality } from './check/finality.ts'
import { watchForeignUses } from './check/foreign-uses.ts'
import { watchFourEyes } from './check/four-eyes.ts'
import { watchFunds } from './check/funds.ts'
import { watchGapFillers } from './check/gap-fillers.ts'
import { type GiveUps, watchGiveUps } from './check/give-ups.ts'
import { watchHolds } from './check/holds.ts'
import { type SentLabels, watchLabels } from './check/labels.ts'
import { watchLastResorts } from './check/last-resorts.ts'
import { watchPatience } from './check/patience.ts'
import { watchPolicies } from './check/policies.ts'
import { watchPresigned } from './check/presigned.ts'
import { watchRows } from './check/rows.ts'
import { watchTips } from './check/tips.ts'
import { type Truth, watchTruth } from './check/truth.ts'
import { type Verdicts, watchVerdicts } from './check/verdicts.ts'
import { openClients } from './clients.ts'
import { openHistory } from './history.ts'
import { isWithheld } from './lies/drop.ts'
import { hasForgedCost } from './lies/false-receipts.ts'
import { hasLie } from './lies/lie.ts'
import { type Marks, watchMarks } from './marks/watch-marks.ts'
import { isSend, openSimNetwork } from './network.ts'
import { openMachine } from './open-machine.ts'
import { genesis, openNodes } from './open-nodes.ts'
import type { Disk } from './process/database.ts'
import { chainId, epochMs, keys } from './process/engine.ts'
import { drawScenario } from './scenario/draw-scenario.ts'
import type { Drawn } from './scenario/features.ts'
import { gwei } from './scenario/policies.ts'
import type { Scenario } from './scenario/scenario.ts'
import { openStreams } from './streams.ts'
import { openTimeline } from './timeline.ts'
import type { World } from './world.ts'
import { openState } from './world-state.ts'

/** `shape` may replace the drawn options. */
export function openWorld(
  seed: number,
  disk: Disk,
  print: ((line: string) => void) | undefined,
  drawn: Drawn,
  shape = (scenario: Scenario): Scenario => scenario,
): World {
  forgetTransactions()
  const timeline = openTimeline()
  const history = openHistory(timeline.now, print)
  const scenario = shape(drawScenario((stream) => dice(seed, stream), drawn))
  const streams = openStreams(seed)
  const { dice: worldDice } = streams
  const addresses = keys
    .slice(0, scenario.relayers)
    .map((key) => privateKeyToAddress(key as `0x${string}`).toLowerCase())
  const blocks = openBlocks(genesis(scenario, addresses))
  const clients = openClients()
  const state = openState(scenario, blocks.canonical())

  const lost = new Set<Hash>()
  const wonBefore = new Set<number>()
  const givenUp = new Set<string>()
  const revived = new Set<string>()
  /** Hashes of bytes that a node falsely called invalid, and the ids of their transactions. */
  const calledInvalid = new Set<string>()
  /** Bytes that a node falsely rejected, so that the next bid need not exceed them. */
  const denied = new Set<string>()
  disk.wipe()
  const marks: Marks = watchMarks({
    blocks,
    nodes: () => nodes,
    recorded: (hash) => bytes.recorded(hash),
    isLying: () => scenario.liar !== undefined && state.faulty,
    isSignerDown: () => state.signerBehavior !== 'fine' && state.signerBehavior !== 'slow',
  })
  let truth: Truth | undefined
  let verdicts: Verdicts | undefined
  let labels: SentLabels | undefined
  let giveUps: GiveUps | undefined
  const finality = watchFinality(scenario, blocks, state, history.fail)
  const gapFillers = watchGapFillers((address) => accountAt(blocks.canonical(), address).nonce, history.fail)
  const fourEyes = watchFourEyes(scenario.fourEyes !== undefined, history.fail)
  const holds = watchHolds({
    fail: history.fail,
    nowMs: () => Math.floor(epochMs + timeline.now() + state.skewMs),
    newestHeadMs: () => state.newestBlockMs,
    isRecovered: () => state.restoredAt !== Number.POSITIVE_INFINITY,
  })
  const bulkTerms =
    scenario.bulkTerms === undefined ? undefined : watchBulkTerms(disk, () => rows.all().values(), history.fail)
  // A restored copy has neither the attempts nor the looks of the history that it lost, and false counts hold up looks.
  const foreignUses =
    scenario.foreignLooks && scenario.restores.length === 0 && scenario.liar === undefined
      ? watchForeignUses(disk, blocks, { fail: history.fail, addresses })
      : undefined
  const lastResorts = watchLastResorts(scenario, history.fail)
  const blindBackends =
    scenario.behindBlocks === undefined ? undefined : watchBlindBackends(() => nodes[0], history.fail)
  const rows = watchRows(disk, {
    fail: history.fail,
    published: finality.published,
    looked() {
      finality.looked()
      bulkTerms?.looked()
      foreignUses?.looked()
    },
    changed(row, before) {
      history.note(
        `${row.id.slice(-6)} ${before ? `${before.status} -> ` : ''}${row.status} (${row.phase}${
          row.nonce === null ? '' : ` nonce ${row.nonce}`
        })`,
      )
      gapFillers.changed(row)
      holds.changed(row, before)
      fourEyes.changed(row)
      marks.changed(row, before)
      giveUps?.changed(row, before)
      truth?.changed(row, before)
      finality.changed(row, before)
      verdicts?.changed(row)
      bulkTerms?.changed(row, before)
      lastResorts(row)
      blindBackends?.changed(row, before)
      patience?.changed(row, before)
    },
  })
  const bytes = watchBytes(disk, {
    kind: scenario.kind,
    isFcfs: () => scenario.kind.isFcfs && !state.isByTips,
    canonical: blocks.canonical,
    fail: history.fail,
    deletedAt: (id) => clients.deleted.get(id),
    undisputed: blocks.undisputed,
    wasUnknowable: (id) => wasUnknowable(id),
    wasCalledInvalid: (hash) => calledInvalid.has(hash) || denied.has(hash),
  })
  giveUps = watchGiveUps({
    ...{ recorded: bytes.recorded, fail: history.fail },
    gasOf: (row) => gasAround(formOf(row.from_address.toLowerCase(), payloadFromRow(row)), state.gasForkAt).most,
  })
  const patience = scenario.rollup
    ? watchPatience(disk, blocks, {
        ...{ fail: history.fail, nowMs: timeline.now, recorded: bytes.recorded, addresses },
        ...{ blocktimeMs: () => state.blocktimeMs, skewMs: () => state.skewMs },
      })
    : undefined
  const noteRefused = (hash: Hash) => {
    giveUps?.refused(hash)
    patience?.refused(hash)
  }
  const isPrivate = scenario.kind.hasSequencer
  const tips = watchTips(disk, isPrivate ? gwei / 100n : (3n * gwei) / 10n, history.fail)
  const namedTip = () => (hasLie(scenario.liar, 'highPrice') ? tips.most() : 0n)
  const blocktimeMs = Math.min(scenario.blocktimeMs, scenario.paceChange?.blocktimeMs ?? scenario.blocktimeMs)
  const bids = watchBids(disk, scenario.fees, { fail: history.fail, recorded: bytes.recorded, namedTip, blocktimeMs })

  const ordered = new Set<Hash>()
  const node: NodeWorld = {
    blocks,
    chainId,
    dice: worldDice,
    fees: scenario.fees,
    isCalm: () => !state.faulty,
    kind: scenario.kind,
    isFcfs: () => scenario.kind.isFcfs && !state.isByTips,
    now: timeline.now,
    revertsAt: ({ head }) => (scenario.behindBlocks === undefined ? state.revertsNow : head.reverts),
    estimateOutage: () => ((state.estimateOutage?.untilMs ?? 0) > timeline.now() ? state.estimateOutage : undefined),
    estimateDice: streams.estimateDice,
    deposits: scenario.rollup && { showsNonce: scenario.rollup.showsDepositNonce },
    reserve: scenario.reserve,
    gasRulesAt: (number) => gasRulesAt(number, state.gasForkAt),
    isTooTight: (transaction) =>
      state.tightGapFillers > 0 &&
      isNoOp(transaction) &&
      // The hash decides, so that the same bytes are always rejected.
      Number(`0x${transaction.hash.at(-1)}`) < state.tightGapFillers &&
      bytes.recorded(transaction.hash)?.kind === 'execute',
    broadcast(which, transaction, admission) {
      bytes.broadcast(which, transaction, admission)
      fourEyes.broadcast(transaction)
      marks.offered(which, transaction, admission)
      if (!admission.admitted && admission.refusal === 'invalid') noteRefused(transaction.hash)
      if (admission.admitted && scenario.kind.answers !== 'beforeOrder' && node.isFcfs()) ordered.add(transaction.hash)
      if (
        !state.faulty &&
        isNoOp(transaction) &&
        transaction.gasLimit < gasOf(transaction, gasRulesAt(which.head.number, state.gasForkAt))
      )
        history.fail(`a no-op for nonce ${transaction.nonce} has ${transaction.gasLimit} gas`)
      const said = admission.admitted ? (admission.replaced ? 'replaces' : 'takes') : admission.refusal
      history.note(`n${which.index} ${said} ${transaction.hash.slice(2, 8)} nonce ${transaction.nonce}`)
      if (admission.admitted) gossip(which, transaction)
    },
  }
  const shared = scenario.kind.hasSequencer ? openPool() : undefined
  const nodes = openNodes(seed, scenario, blocks.canonical(), shared)
  const wasUnknowable = (id: string) =>
    revived.has(id) ||
    (rows.all().get(id)?.cancel_origin === 'request' &&
      (clients.deleted.get(id) ?? Number.MAX_SAFE_INTEGER) >= state.restoredAt)
  const isInclusionForged = () => hasLie(scenario.liar, 'falseInclusion', 'minedEarly')
  const isCostForged = (hash: Hash) => nodes.some((node) => hasForgedCost(node, hash))
  truth = watchTruth(blocks, nodes, bytes, {
    fail: history.fail,
    rows: rows.all,
    mayBeTakenBack: ({ hash }) => scenario.finality?.rule === 'safe' && state.unsafe.has(hash),
    isLost: ({ hash }) => lost.has(hash),
    isInclusionForged,
    areReceiptsMixedUp: () => hasLie(scenario.liar, 'anothersReceipt'),
    isCostForged,
    wasWonBefore: (tag) => wonBefore.has(tag),
    wasUnknowable,
    executed(tag) {
      verdicts?.executed(tag)
      labels?.executed(tag)
    },
  })
  const { executions } = truth
  labels = watchLabels(history.fail, truth.successes)
  verdicts = watchVerdicts(disk, blocks, bytes, {
    ...{ fail: history.fail, executions, wasUnknowable, isInclusionForged, isCostForged },
    wasOrdered: (hash) => ordered.has(hash),
  })
  const funds = watchFunds(blocks, scenario.kind, scenario.reserve, {
    fail: history.fail,
    isCountedEarly: hasLie(scenario.liar, 'minedEarly', 'countedEarly'),
  })
  const estimates = hasLie(scenario.liar, 'falseEstimates')
    ? watchEstimates({
        fail: history.fail,
        nowMs: timeline.now,
        isHonest: (index) => index !== scenario.liar?.node,
        isLimitCharged: scenario.reserve !== undefined,
        // By then every endpoint has had its rest.
        areThreeAtHand: () => scenario.profiles.length > 2 && timeline.now() - state.calmFromMs >= 25_000,
        signsLate: scenario.signerChanges !== undefined,
      })
    : undefined
  const policies = watchPolicies(disk, funds, {
    fail: history.fail,
    accountOf: (relayer) => ({ address: addresses[Number(relayer.slice(1))] ?? '', chainId }),
    requestOf: (tag) => clients.requests.get(tag),
    isLost: (hash) => lost.has(hash),
    wasCalledInvalid: (id) => calledInvalid.has(id),
    // A restored copy does not show which bulk cancellation took one.
    isRequested: ({ transaction_id: id, relayer_id: relayer }, isInBulk) =>
      clients.requested.has(id) ||
      ((isInBulk || scenario.restores.length > 0) && clients.requested.has(relayer)) ||
      givenUp.has(id) ||
      revived.has(id),
    clock: () => ({ nowMs: Math.floor(epochMs + timeline.now() + state.skewMs), skewMs: state.skewMs }),
    flaky: flakyContract,
    broken: brokenContract,
    estimates,
    gasRises: scenario.kind.hasL1Gas,
    gasOf: (request) => gasAround(formOf('0x', request), state.gasForkAt),
    signsLate: scenario.signerChanges !== undefined,
  })
  const costBounds =
    (scenario.costBounds ?? scenario.bulkTerms) === undefined
      ? undefined
      : watchCostBounds(disk, blocks, scenario.kind, history.fail)
  const presigned = scenario.presign && watchPresigned(disk, history.fail)
  const networkDice = {
    ...{ dice: worldDice, batchDice: dice(seed, 'batches') },
    ...{ sendDice: dice(seed, 'sends'), lieDice: dice(seed, 'lying') },
    backendOf: openBackends(scenario.behindBlocks, () => state.faulty, streams.rollupDice),
  }
  const network = openSimNetwork(node, nodes, timeline, networkDice, scenario, history, {
    leaving(instance, raws) {
      bytes.leaving(instance, raws)
      bids.leaving(raws)
      // A no-op at the same price has the same bytes, so a lost one may be signed and recorded again.
      for (const raw of raws) lost.delete(decode(raw).hash)
    },
    ...{ estimates, patience },
    knowsPrices: tips.areBelieved,
    isTruthful: () => !state.faulty && scenario.brokenEnd !== 'liar',
    unheard: () => marks.note('acceptance-unheard'),
    lied(lie, call, honest, claimed) {
      marks.lied(honest, claimed, isSend(call))
      if (!isSend(call)) return
      const { hash } = decode(call.params[0] as Hex)
      // The next bid need not exceed bytes that are denied.
      if (lie === 'underpriced') denied.add(hash)
      if (lie === 'invalid' || lie === 'unknownWords') noteRefused(hash)
      if (lie !== 'invalid') return
      calledInvalid.add(hash).add(bytes.recorded(hash)?.transaction_id ?? hash)
    },
  })

  function gossip(from: SimNode, transaction: Parameters<NodeWorld['broadcast']>[1]): void {
    if (shared) return
    for (const to of nodes) {
      if (to === from || (state.faulty && worldDice.chance(0.3))) continue
      timeline.after(worldDice.between(20, 2_000), () => {
        if (!isWithheld(from, transaction)) offer(node, to, transaction)
      })
    }
  }

  let dirty = true
  const machine = openMachine({
    ...{ seed, disk, drawn, scenario, timeline, history, network, blocks, nodes, state, dice: worldDice },
    marks: {
      logged(message) {
        marks.logged(message)
        blindBackends?.logged(message)
      },
    },
    committed(instance, changed) {
      policies.committed(instance)
      if (changed === 0) return
      dirty = true
      patience?.committed(instance)
      presigned?.committed()
      costBounds?.committed()
      bulkTerms?.committed()
    },
    reads(instance, relayer) {
      policies.reads(instance, relayer)
      patience?.reads(instance, relayer)
      estimates?.reads(instance, addresses[Number(relayer.slice(1))] ?? '')
    },
  })

  return {
    scenario,
    ...streams,
    timeline,
    history,
    marks,
    blocks,
    nodes,
    network,
    node,
    machine,
    bids,
    bytes,
    rows,
    gapFillers,
    holds,
    fourEyes,
    shownPayloads: new Map(),
    knownPreviews: [],
    truth,
    verdicts,
    labels,
    tips,
    funds,
    presigned,
    costBounds,
    bulkTerms,
    patience,
    foreignUses,
    addresses,
    clients,
    state,
    lost,
    wonBefore,
    givenUp,
    revived,
    look() {
      if (!dirty) return
      dirty = false
      rows.look()
      tips.look()
      for (const id of clients.accepted.keys()) {
        if (!rows.all().has(id)) history.fail(`${id.slice(-6)} was accepted and is not stored`)
      }
      for (const id of clients.deleted.keys()) {
        if (rows.all().get(id)?.canceled_at === null) history.fail(`the DELETE of ${id.slice(-6)} is forgotten`)
      }
    },
  }
}
