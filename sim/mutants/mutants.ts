// The engine broken on purpose, in ways that relayers really are broken. The simulator has to notice each of them.
import type { Mutant } from './mutant.ts'
import { ofAnchors } from './of-anchors.ts'
import { ofAnswerSizes } from './of-answer-sizes.ts'
import { ofAnswers } from './of-answers.ts'
import { ofBids } from './of-bids.ts'
import { ofBounds } from './of-bounds.ts'
import { ofBulkEvents } from './of-bulk-events.ts'
import { ofBulkPreviews } from './of-bulk-previews.ts'
import { ofBulkTerms } from './of-bulk-terms.ts'
import { ofBulks } from './of-bulks.ts'
import { ofContradictions } from './of-contradictions.ts'
import { ofCostBounds } from './of-cost-bounds.ts'
import { ofCounts } from './of-counts.ts'
import { ofCustody } from './of-custody.ts'
import { ofDeliveries } from './of-deliveries.ts'
import { ofFigures } from './of-figures.ts'
import { ofFinality } from './of-finality.ts'
import { ofFourEyes } from './of-four-eyes.ts'
import { ofGapFillers } from './of-gap-fillers.ts'
import { ofGasRules } from './of-gas-rules.ts'
import { ofGround } from './of-ground.ts'
import { ofHolds } from './of-holds.ts'
import { ofLabels } from './of-labels.ts'
import { ofMessages } from './of-messages.ts'
import { ofNetworkPauses } from './of-network-pauses.ts'
import { ofOddNodes } from './of-odd-nodes.ts'
import { ofOrders } from './of-orders.ts'
import { ofPolicies } from './of-policies.ts'
import { ofPostgres } from './of-postgres.ts'
import { ofPresigning } from './of-presigning.ts'
import { ofPrices } from './of-prices.ts'
import { ofProfiles } from './of-profiles.ts'
import { ofReach } from './of-reach.ts'
import { ofRefusals } from './of-refusals.ts'
import { ofReserve } from './of-reserve.ts'
import { ofRetention } from './of-retention.ts'
import { ofRules } from './of-rules.ts'
import { ofSigners } from './of-signers.ts'
import { ofSmallRights } from './of-small-rights.ts'
import { ofSweeps } from './of-sweeps.ts'
import { ofTips } from './of-tips.ts'
import { ofVerdicts } from './of-verdicts.ts'
import { ofWaits } from './of-waits.ts'
import { ofWitnesses } from './of-witnesses.ts'

export const mutants: readonly Mutant[] = [
  ...ofAnswers,
  ...ofAnchors,
  ...ofAnswerSizes,
  ...ofBids,
  ...ofDeliveries,
  ...ofFigures,
  ...ofFinality,
  ...ofGapFillers,
  ...ofMessages,
  ...ofPolicies,
  ...ofPostgres,
  ...ofGround,
  ...ofPresigning,
  ...ofBounds,
  ...ofBulks,
  ...ofBulkEvents,
  ...ofBulkTerms,
  ...ofBulkPreviews,
  ...ofPrices,
  ...ofLabels,
  ...ofSweeps,
  ...ofHolds,
  ...ofFourEyes,
  ...ofNetworkPauses,
  ...ofTips,
  ...ofProfiles,
  ...ofGasRules,
  ...ofReach,
  ...ofReserve,
  ...ofRetention,
  ...ofRules,
  ...ofSigners,
  ...ofSmallRights,
  ...ofContradictions,
  ...ofCostBounds,
  ...ofCounts,
  ...ofOddNodes,
  ...ofOrders,
  ...ofCustody,
  ...ofVerdicts,
  ...ofWaits,
  ...ofWitnesses,
  ...ofRefusals,
  {
    name: 'free-nonce-on-timeout',
    breaks: 'takes a time-out for "not sent", and gives the nonce to somebody else',
    with: ['doubtfulSends'],
    expects: 'both reached a node',
    edits: [
      {
        file: 'src/chain/sending/broadcast-outcome.ts',
        find: 'return { kind: answer.kind, message: answer.message }',
        put: "return { kind: 'unsent', message: answer.message }",
      },
    ],
  },
  {
    name: 'follow-only-the-no-op',
    breaks: 'asks only for the receipt of the no-op once a transaction is canceled',
    caughtBy: 'test/domain/decide/work.test.ts',
    expects: 'the receipt of a canceled transaction is asked for as well as that of its no-op',
    edits: [
      {
        file: 'src/domain/decide/facts/inquire.ts',
        find: '.filter(mayBeKnown)',
        put: ".filter((each) => mayBeKnown(each) && (each.kind === 'cancel' || lifecycle.attempts.every(({ kind }) => kind !== 'cancel')))",
      },
    ],
  },
  {
    name: 'send-before-recording',
    breaks: 'broadcasts bytes, and records them afterwards',
    expects: 'that are not recorded',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: '  return context.store.commit(async (session) => {',
        put: "  await context.chainOf(work.relayer).broadcast(signed.flatMap(({ attempt }) => (attempt?.raw ? [{ hash: attempt.hash, raw: attempt.raw, reach: 'one' as const }] : [])))\n  return context.store.commit(async (session) => {",
      },
    ],
  },
  {
    name: 'fresh-nonce-for-nonce-too-low',
    breaks: 'answers "nonce too low" with a fresh nonce',
    expects: 'was executed twice',
    edits: [
      {
        file: 'src/domain/decide/apply.ts',
        find: '  return withAttempts(transaction, (attempt) => {\n    const outcome',
        put: "  const tooLow = [...outcomes.values()].some((each) => each.kind === 'rejected' && each.code === 'nonceTooLow')\n  if (tooLow && !transaction.cancellation) return { ...transaction, lifecycle: { phase: 'queued' } }\n  return withAttempts(transaction, (attempt) => {\n    const outcome",
      },
    ],
  },
  {
    name: 'bump-one-fee',
    breaks: 'raises the fee cap of a replacement and leaves its tip',
    expects: 'that was priced over attempt',
    edits: [
      {
        file: 'src/domain/fees.ts',
        find: 'const tip = raised(rival.maxPriorityFeePerGas)',
        put: 'const tip = rival.maxPriorityFeePerGas',
      },
    ],
  },
  {
    name: 'floor-instead-of-ceil',
    breaks: 'rounds a raise down',
    expects: 'that was priced over attempt',
    edits: [
      {
        file: 'src/domain/units.ts',
        find: 'return (amount * (100n + percent) + 99n) / 100n',
        put: 'return (amount * (100n + percent)) / 100n',
      },
    ],
  },
  {
    name: 'cap-on-no-ops',
    breaks: "holds no-ops to the sends' price cap",
    expects: 'and cancel_gas_price_cap is',
    edits: [
      {
        file: 'src/domain/decide/race/contender.ts',
        find: 'cap: work.relayer.policies.cancelGasPriceCap',
        put: 'cap: work.relayer.policies.gasPriceCap',
      },
    ],
  },
  {
    name: 'settle-without-confirmations',
    breaks: 'calls final what was mined a block ago',
    expects: 'that block is not',
    edits: [
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []',
        put: '',
      },
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (!isFinal(inclusion.block.number, observation, policy)) {',
        put: 'if (head.number < 0) {',
      },
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (!isProven(testimony, policy)) return explainUnwitnessed',
        put: 'if (testimony && !isProven(testimony, policy)) return explainUnwitnessed',
      },
    ],
  },
  {
    name: 'skip-the-fence',
    breaks: 'lets an owner write who has been replaced',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: '  throw new OwnershipLost(`epoch',
        put: '  if (id) return\n  throw new OwnershipLost(`epoch',
      },
    ],
  },
  {
    name: 'forget-the-gap',
    breaks: 'leaves the nonce of what was dropped open, and everything behind it stuck',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'given up below others goes to the first of the queue',
    edits: [
      {
        file: 'src/domain/decide/queue/free-nonces.ts',
        find: 'let next = freeFrom(firstUnspent(work, observation))',
        put: 'let next = freeFrom(Math.max(firstUnspent(work, observation), ...[...ours].map((nonce) => nonce + 1)))',
      },
    ],
  },
  {
    name: 'stale-branch-as-truth',
    breaks: 'believes the receipt of a node that a reorganization left behind',
    caughtBy: 'test/chain/observe.test.ts',
    expects: 'a receipt from a block that is not canonical is no evidence',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'canonical.get(block.number) === block.hash',
        put: 'canonical.size < 1e9 && block.number >= 0',
      },
    ],
  },
  {
    name: 'cap-for-the-price',
    breaks: 'takes the fee cap for the price where a receipt does not tell it',
    expects: 'effective_gas_price is',
    edits: [
      {
        file: 'src/chain/inclusions/receipt.ts',
        find: 'return { wei: effectivePrice(fees, header.baseFee) }',
        put: 'return { wei: fees.maxFeePerGas }',
      },
    ],
  },
  {
    name: 'no-price-no-receipt',
    breaks: 'drops receipts that do not tell their price',
    expects: 'its cost is absent',
    edits: [
      {
        file: 'src/chain/inclusions/receipt.ts',
        find: 'if (!hash || !blockHash || blockHash === noBlock || number === undefined) return undefined',
        put: 'if (!hash || !blockHash || blockHash === noBlock || number === undefined || receipt.effectiveGasPrice === undefined) return undefined',
      },
    ],
  },
  {
    name: 'no-status-is-success',
    breaks: 'takes an execution for a success where the receipt does not say so',
    caughtBy: 'test/chain/inclusions/receipts.test.ts',
    expects: 'a status says neither success nor failure',
    edits: [
      {
        file: 'src/chain/inclusions/receipt.ts',
        find: 'receipt.succeeded ?? provenSuccess(receipt, signed.gasLimit)',
        put: 'receipt.succeeded ?? true',
      },
    ],
  },
  {
    name: 'silence-is-no-receipt',
    breaks: 'takes an unanswered question for a receipt for "there is none", and settles by the block alone',
    caughtBy: 'test/chain/inclusions/denied-receipts.test.ts',
    expects: 'no answer for one of the attempts says nothing of the nonce',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: ' && !silent.has(nonce)',
        put: '',
      },
    ],
  },
  {
    name: 'deep-block-of-anybody',
    breaks: 'asks a node on an old branch which deep block is canonical',
    caughtBy: 'test/chain/heads/read-canonical.test.ts',
    expects: 'a node on another branch than the head is not believed',
    edits: [
      {
        file: 'src/chain/heads/read-canonical.ts',
        find: 'if (tip?.hash !== head.hash) return',
        put: 'if (!tip) return',
      },
    ],
  },
  {
    name: 'floor-that-never-rises',
    breaks: 'forgets which nonces are finally spent, by ours or by a foreign transaction',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'that a foreign transaction finally used is never free again',
    edits: [
      {
        file: 'src/domain/decide/decide.ts',
        find: "decision.do === 'settle' || decision.do === 'requeue' ?",
        put: "(decision.do === 'settle' || decision.do === 'requeue') && decision.transaction.sequence < 0 ?",
      },
    ],
  },
  {
    name: 'silence-is-consent',
    breaks: 'prices for the nodes that said what they are, and not for those that have not said it yet',
    caughtBy: 'test/chain/fees/replacement-rule.test.ts',
    expects: 'an endpoint that has not said what it is counts as the strictest',
    edits: [
      {
        file: 'src/chain/nodes/endpoints.ts',
        find: 'all.map((endpoint) => endpoint.rule() ?? strictestRule)',
        put: 'all.map((endpoint) => endpoint.rule()).filter((rule) => rule !== undefined)',
      },
    ],
  },
  {
    name: 'overwrite-an-end',
    breaks: 'lets a DELETE change what has ended',
    expects: 'had ended as',
    edits: [
      {
        file: 'src/domain/refusals.ts',
        find: 'const byStatus: Refusals = cancelRefusals',
        put: 'const byStatus: Refusals = { mined: cancelRefusals.mined }',
      },
      {
        file: 'src/store/transactions/save-transaction.ts',
        find: "pick(p, changed), version: sql<number>`version + 1` })\n        .where('id', '=', p.id)\n        .where('version', '=', p.version)\n        .where('open', '=', 1)",
        put: "pick(p, changed), version: sql<number>`version + 1` })\n        .where('id', '=', p.id)\n        .where('version', '=', p.version)",
      },
    ],
  },
  {
    name: 'resend-the-canceled',
    breaks: 'broadcasts the newest bytes again, whether they were canceled or not',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: 'rebroadcastIfDue(transaction, own, situation)',
        put: 'rebroadcastIfDue(transaction, [transaction.lifecycle.attempts[0]], situation)',
      },
    ],
  },
  {
    name: 'broadcast-behind-a-delete',
    breaks: 'does not look whether a DELETE came between decision and broadcast',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (current?.version !== known.version) throw',
        put: 'if (current?.id !== known.id) throw',
      },
      {
        file: 'src/store/transactions/save-transaction.ts',
        find: "pick(p, changed), version: sql<number>`version + 1` })\n        .where('id', '=', p.id)\n        .where('version', '=', p.version)",
        put: "pick(p, changed), version: sql<number>`version + 1` })\n        .where('id', '=', p.id)",
      },
    ],
  },
  {
    name: 'resend-behind-a-delete',
    breaks: 'does not look whether a DELETE came before bytes go out a second time',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (current?.version !== known.version) throw',
        put: 'if (current?.id !== known.id) throw',
      },
    ],
  },
  {
    name: 'give-nothing-up',
    breaks: 'waits for ever on a payload that no node takes, when an earlier answer was lost',
    caughtBy: 'test/domain/decide/refusals.test.ts',
    expects: 'is given up once every endpoint refuses it, at whatever nonce',
    edits: [
      {
        file: 'src/domain/decide/race/advance.ts',
        find: "if (invalid?.is === 'byAll') return",
        put: "if (invalid?.is === 'byAll' && latest.nonce < 0) return",
      },
    ],
  },
  {
    name: 'answer-by-the-bytes',
    breaks: 'records the answer of a broadcast with earlier attempts of the nonce, too',
    caughtBy: 'test/engine/step.test.ts',
    expects: 'an owner keeps its own writes as a read would find them',
    edits: [
      {
        file: 'src/store/transactions/save-attempts.ts',
        find: ".where('position', '=', p.position)",
        put: ".where('position', '<=', p.position)",
      },
    ],
  },
  {
    name: 'forget-an-earlier-binding',
    breaks: 'goes on without the attempts of an earlier binding to the same nonce',
    caughtBy: 'test/engine/step.test.ts',
    expects: 'an owner keeps its own writes as a read would find them',
    edits: [
      {
        file: 'src/store/transactions/save-transaction.ts',
        find: "const isBoundAgain = before.sentAt !== undefined && before.lifecycle.phase === 'queued'",
        put: "const isBoundAgain = before.sentAt !== undefined && before.lifecycle.phase === 'mined'",
      },
    ],
  },
  {
    name: 'keep-what-was-read-before',
    breaks: 'takes a transaction as the step read it, although a client has changed it since',
    expects: 'although a DELETE of it had succeeded',
    edits: [
      {
        file: 'src/store/transactions/find-transaction.ts',
        find: 'return row?.version === version ? known',
        put: 'return row !== undefined && version > 0 ? known',
      },
    ],
  },
  {
    name: 'gap-before-its-owner',
    breaks: 'fills a gap before the transaction that left it is written',
    expects: 'UNIQUE constraint failed: transactions.relayer_id, transactions.open, transactions.nonce',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: '  const written = new Map',
        put: "  for (const { decision, attempt } of signed) if (decision.do === 'fillGap' && attempt) await fill(session, work, decision.nonce, attempt, now)\n  const written = new Map",
      },
    ],
  },
  {
    name: 'wait-for-a-pool-nobody-shows',
    breaks: 'never fills a gap where no node counts its pool',
    caughtBy: 'test/domain/decide/gaps.test.ts',
    expects: 'goes to the queue once a foreign transaction had its time',
    edits: [
      {
        file: 'src/domain/decide/queue/assign-nonces.ts',
        find: 'pendingNonce === undefined && !takesFromForeign(work, observation, policy)) {',
        put: 'pendingNonce === undefined) {',
      },
    ],
  },
  {
    name: 'gap-fillers-without-end',
    breaks: 'makes a gap filler anew, at once, where a node called the last one invalid',
    caughtBy: 'test/domain/decide/advance.test.ts',
    expects: 'is not priced anew',
    edits: [
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: "if (wants === 'gapFiller' && invalidReasonOf(latest) !== undefined) return undefined",
        put: '',
      },
    ],
  },
  {
    name: 'crash-means-not-sent',
    breaks: 'believes that what was on its way when the process died never left',
    expects: 'safe to retry, and then its payload',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "return attempt.broadcast.state === 'sending' || attempt.broadcast.state === 'handed'",
        put: "return attempt.broadcast.state === 'handed'",
      },
    ],
  },
  {
    name: 'trust-a-returned-hash',
    breaks: 'never broadcasts again what a node has once accepted',
    expects: 'have not ended',
    edits: [
      {
        file: 'src/domain/decide/race/rebroadcast.ts',
        find: 'wasTaken(attempt) ? takenMs : doubtfulMs',
        put: 'wasTaken(attempt) ? Number.POSITIVE_INFINITY : doubtfulMs',
      },
      {
        file: 'src/domain/decide/race/reason-to-bid.ts',
        find: 'if (waited < patience.blocks) return undefined',
        put: 'if (waited < 1e9) return undefined',
      },
    ],
  },
  {
    name: 'lose-the-event',
    breaks: 'changes the row of what is dropped without an event for it',
    expects: 'without an event',
    edits: [
      {
        file: 'src/store/transactions/save-transaction.ts',
        find: 'of eventsOf(before, after)) await publishEvent',
        put: "of eventsOf(before, after)) if (after.lifecycle.phase !== 'dropped') await publishEvent",
      },
    ],
  },
  {
    name: 'requeue-before-finality',
    breaks: 'gives a fresh nonce as soon as a foreign transaction has taken the first',
    expects: 'that block is not',
    edits: [
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []',
        put: "if (confirmations(head, inclusion.block) < policy.requiredConfirmations && spenderKind(inclusion) !== 'foreign') return []",
      },
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (!isFinal(inclusion.block.number, observation, policy)) {',
        put: "if (spenderKind(inclusion) !== 'foreign' && !isFinal(inclusion.block.number, observation, policy)) {",
      },
      {
        file: 'src/domain/decide/follow-up.ts',
        find: 'if (!isProven(testimony, policy)) return',
        put: "if (spenderKind(inclusion) !== 'foreign' && !isProven(testimony, policy)) return",
      },
    ],
  },
  {
    name: 'one-refusal-is-for-ever',
    breaks: 'takes a refusal as proof that no node has it, though an earlier broadcast is in doubt',
    expects: 'and then its payload',
    edits: [
      {
        file: 'src/domain/attempt.ts',
        find: "const mayHaveHadIt = broadcast.state === 'handed'",
        put: "const mayHaveHadIt = broadcast.state === 'handed' && attempt.nonce < 0",
      },
    ],
  },
  {
    name: 'forget-the-race-in-bulk',
    breaks: 'takes back only the queue when everything pending is deleted, and says it took all',
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: '    await saveTransaction(executor, tallies, before, after, now)\n',
        put: '',
      },
    ],
  },
  {
    name: 'trap-gap-fillers-under-the-cap',
    breaks: 'holds what fills a gap to the cap of sends, and with it the cancellations behind it',
    caughtBy: 'test/domain/decide/decide.test.ts',
    expects: 'what fills a gap is held to the cap of no-ops, not to that of sends',
    edits: [
      {
        file: 'src/domain/decide/race/contender.ts',
        find: 'limit: isGap',
        put: 'limit: isGap && policy.bumpAfterBlocks < 0',
      },
    ],
  },
  {
    name: 'put-frees-the-nonce',
    breaks: 'sends a transaction back into the queue when its payload is replaced, though a node may have the old one',
    expects: 'both reached a node',
    edits: [
      {
        file: 'src/domain/replace.ts',
        find: 'const queued = neverReachedANode(transaction) ?',
        put: 'const queued = neverReachedANode({ ...transaction, lifecycle: { phase: "queued" } }) ?',
      },
    ],
  },
  {
    name: 'trust-a-restored-copy',
    breaks: 'sends what waits in the queue, whatever a lost part of its history may have sent',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'nothing as old as the owner gets a nonce, and the queue says why',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: '  if (first === undefined || last === undefined) return nothing\n',
        put: '  if (first === undefined || last === undefined || last >= 0) return nothing\n',
      },
    ],
  },
  {
    name: 'forget-what-a-foreign-transaction-overtook',
    breaks:
      'completes a history check while a transaction that the lost history may have sent again is not in the queue',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'overtook is back in the queue',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: 'mayReturn(each, lostHistory.through, at.nonce)',
        put: 'mayReturn(each, -1, at.nonce)',
      },
    ],
  },
  {
    name: 'forget-what-waits-in-the-pools',
    breaks: 'looks at what a lost history had mined, and not at what still waits in a pool',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'nothing as old as the owner gets a nonce, and the queue says why',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: 'intervalsBetween(work.floor.explainedBelow, below, explained)',
        put: 'intervalsBetween(work.floor.explainedBelow, Math.min(below, at.nonce), explained)',
      },
    ],
  },
  {
    name: 'search-back-by-configured-time',
    breaks: 'makes a count of blocks of the time that it looks back, by the configured block time',
    caughtBy: 'test/chain/inclusions/check-history.test.ts',
    expects: 'what was spent since is looked for from then on',
    edits: [
      {
        file: 'src/chain/inclusions/check-history.ts',
        find: 'const above = await startOf(search, inquiry.since, at)',
        put: 'const above: BlockNumber | undefined = Math.max(-1, at.head.number - 2 * Math.ceil((at.head.timestampMs - inquiry.since) / pace.ms()))',
      },
      {
        file: 'src/chain/heads/measure-blocktime.ts',
        find: 'ms: () => measured ?? configuredMs',
        put: 'ms: () => configuredMs',
      },
    ],
  },
  {
    name: 'take-what-was-not-found-for-older',
    breaks: 'ends a search for lost nonces whose answers were not of one chain as if it were through',
    caughtBy: 'test/chain/inclusions/search-blocks.test.ts',
    expects: 'answers that are not of one chain are a contradiction',
    edits: [
      {
        file: 'src/chain/inclusions/search-blocks.ts',
        find: "    if (!isFound() && !ignoresBlock && findings.nonces.has(range.above)) return 'contradiction'\n",
        put: '',
      },
    ],
  },
  {
    name: 'forget-what-ended-since-a-restore',
    breaks: 'takes the only one left for what a no-op canceled, although its client canceled another meanwhile',
    caughtBy: 'test/engine/lost-history.test.ts',
    expects: 'one of two that its client cancels before the search ends',
    edits: [{ file: 'src/domain/decide/history/lost-cancellation.ts', find: ' && !ended.some(isWithin)', put: '' }],
  },
  {
    name: 'trust-a-nonce-on-record',
    breaks:
      'takes the transaction that holds the nonce in a copy for what the no-op canceled, though no node ever accepted it',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'is not of what no node ever accepted',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: 'cancellation !== undefined || lifecycle.attempts.some(wasTaken)',
        put: 'cancellation !== undefined || lifecycle.attempts.length > 0',
      },
    ],
  },
  {
    name: 'forget-when-the-restored-copy-began',
    breaks: 'takes a transaction of its own time for one that a no-op of the lost history canceled',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'nobody knows, where it was sent after the first owner since the restore began',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: ' || transaction.sequence > uncheckedThrough',
        put: '',
      },
    ],
  },
  {
    name: 'mark-each-owner-as-the-first',
    breaks: 'forgets at each takeover when the first owner after a restore began',
    caughtBy: 'test/engine/lost-history.test.ts',
    expects: 'one that was sent after the restore is not the one that it canceled',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: 'COALESCE(unchecked_through,',
        put: 'COALESCE(NULL,',
      },
    ],
  },
  {
    name: 'count-new-ones-as-explanations',
    breaks: 'ends a history check while a lost no-op competes with a new transaction for its nonce',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'stays while a newer transaction, or a gap filler',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: 'explainedNonces(work, nonce, work.uncheckedThrough)',
        put: 'explainedNonces(work, nonce, Number.POSITIVE_INFINITY)',
      },
    ],
  },
  {
    name: 'cancel-what-was-sent-since',
    breaks: 'takes what was sent after a restore for what a no-op canceled that was mined later',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'nobody knows, where an older one has a higher nonce',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: 'transaction.sequence > (overtaken.get(noOp.nonce) ?? Number.POSITIVE_INFINITY)',
        put: 'overtaken === undefined',
      },
    ],
  },
  {
    name: 'take-our-no-op-for-a-foreign-one',
    breaks: 'sends a payload again that a no-op canceled for good, as the record of that was lost',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'to the relayer itself, without value, data or a list of what it touches',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: "  return signed.value === 0n && signed.data === '0x'",
        put: "  return signed.value < 0n && signed.data === '0x'",
      },
    ],
  },
  {
    name: 'send-what-may-be-canceled',
    breaks: 'sends all of the transactions of which a lost no-op canceled one, where it can not tell which',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'nobody knows',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: 'else suspected.push(...candidates.flatMap((transaction) => suspicionOf(transaction, stretch)))',
        put: 'else void candidates.flatMap((transaction) => suspicionOf(transaction, stretch))',
      },
    ],
  },
  {
    name: 'cancel-the-first-that-may-be-meant',
    breaks:
      'takes the oldest of the transactions that a lost no-op may have canceled for the one, and sends the others',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'where more can be meant, or fewer, all of them are unclear',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: 'if (isCertain) canceled',
        put: 'if (pairs.length > 0) canceled',
      },
    ],
  },
  {
    name: 'match-above-an-unknown-spender',
    breaks:
      'takes the only one left in the queue for canceled, though a lost PUT may have given it the nonce of an unknown spender',
    caughtBy: 'test/domain/lost-history/lost-cancellation.test.ts',
    expects: 'nobody knows, where an unknown transaction took a lower nonce',
    edits: [
      {
        file: 'src/domain/decide/history/lost-cancellation.ts',
        find: 'passed !== undefined && isPaired',
        put: 'isPaired',
      },
    ],
  },
  {
    name: 'same-epoch-again',
    breaks: 'takes a relayer over without raising its epoch',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: 'epoch: sql<number>`epoch + 1`',
        put: 'epoch: sql<number>`epoch + 0`',
      },
    ],
  },
  {
    name: 'any-later-epoch',
    breaks: 'takes the epoch of a later owner for its own',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/store/relayers/relayers.ts',
        find: ".where('epoch', '=', p.epoch)",
        put: ".where('epoch', '>=', p.epoch)",
      },
    ],
  },
  {
    name: 'fence-apart',
    breaks: 'checks the epoch before the unit that writes, and not in it',
    expects: 'had taken over',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: '  return context.store.commit(async (session) => {\n    await fence(session, ownership)\n',
        put: '  await context.store.commit((session) => fence(session, ownership), ownership.relayer)\n  return context.store.commit(async (session) => {\n',
      },
      {
        file: 'src/engine/perform.ts',
        find: '  return await store.commit(\n    async (session) => {\n      await fence(session, ownership)\n',
        put: '  await store.commit((session) => fence(session, ownership), ownership.relayer)\n  return await store.commit(\n    async (session) => {\n',
      },
    ],
  },
  {
    name: 'believe-in-a-lost-lease',
    breaks: 'goes on broadcasting when its lease may be over',
    caughtBy: 'test/ownership/own-by-locks.test.ts',
    expects: 'a session that is lost takes everything with it at once',
    edits: [
      {
        file: 'src/ownership/own-by-locks.ts',
        find: 'return () => !session?.isAlive()',
        put: 'return () => session === undefined',
      },
    ],
  },
  {
    name: 'unlock-before-the-last-step',
    breaks: 'gives a lock up while the step under way still writes',
    caughtBy: 'test/ownership/own-by-locks.test.ts',
    expects: 'a lock is given up when the last step is over',
    edits: [
      {
        file: 'src/ownership/hold-slots.ts',
        find: '      await waitBriefly(clock, lastStepMs, () => Promise.all(relayers.map(holdings.release)))\n',
        put: '      void Promise.all(relayers.map(holdings.release))\n',
      },
    ],
  },
  {
    name: 'read-before-acquiring',
    breaks: 'begins with what it read before its epoch began',
    expects: 'before it has acquired it',
    edits: [
      {
        file: 'src/ownership/raise-epochs.ts',
        find: '      const epochs = await store.commit((session) =>',
        put: '      for (const { relayer } of together) ((globalThis as any).early ??= new Map()).set(relayer, await store.reads.work(relayer))\n      const epochs = await store.commit((session) =>',
      },
      {
        file: 'src/engine/step.ts',
        find: '  const stored = await context.store.reads.work(ownership.relayer, 2 * before.size, earlier)\n',
        put: '  const early: Awaited<ReturnType<typeof context.store.reads.work>> | undefined = (globalThis as any).early?.get(ownership.relayer)\n  ;(globalThis as any).early?.delete(ownership.relayer)\n  const stored = early ?? (await context.store.reads.work(ownership.relayer))\n',
      },
    ],
  },
  {
    name: 'lock-of-somebody-else',
    breaks: 'takes a lock for its own that another holds',
    expects: 'without its lock',
    edits: [
      {
        file: 'src/ownership/hold-slots.ts',
        find: 'await session.lock([...new Set([...take, ...orphans])])',
        put: 'await session.lock([...new Set([...take, ...orphans])]).then(() => [...new Set([...take, ...orphans])])',
      },
    ],
  },
  {
    name: 'refused-batch-not-sent',
    breaks: 'takes what a refused batch of sends held for certainly not sent',
    with: ['doubtfulSends'],
    expects: 'safe to retry, and then its payload',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: "  if (reading === 'refused') return [part]\n",
        put: "  if (reading === 'refused' && part.some(isSend)) {\n    fail(part, notTried)\n    return []\n  }\n  if (reading === 'refused') return [part]\n",
      },
    ],
  },
  {
    name: 'forget-the-refused-batch',
    breaks: 'sends alone what a refused batch held, and believes a refused connection then that no node has it',
    caughtBy: 'test/chain/nodes/calls.test.ts',
    expects: 'what a refused batch carried may have been done',
    edits: [
      {
        file: 'src/chain/nodes/batch-calls.ts',
        find: "  if (failed.kind !== 'unsent') return failed\n",
        put: '  if (failed.kind.length > 0) return failed\n',
      },
    ],
  },
  {
    name: 'remember-what-is-undone',
    breaks: 'answers the units of a commit from a row that a failed unit of it had changed',
    caughtBy: 'test/store/sqlite.test.ts',
    expects: 'a unit that fails after it changed a relayer and sent leaves nothing of it to',
    edits: [
      {
        file: 'src/store/sqlite/remember-relayers.ts',
        find: 'for (const id of fresh.keys()) remembered.delete(id)',
        put: '',
      },
    ],
  },
  {
    name: 'forget-who-broke-the-order',
    breaks:
      'takes the order of nonces for kept in a later look at a lost history, although an unknown transaction broke it',
    caughtBy: 'test/engine/find-sent.test.ts',
    expects: 'the order proves nothing above a nonce that an unknown transaction took',
    edits: [
      {
        file: 'src/engine/find-sent.ts',
        find: 'let foreign = lostHistory.foreign ?? Number.POSITIVE_INFINITY',
        put: 'let foreign = Number.POSITIVE_INFINITY',
      },
    ],
  },
]
