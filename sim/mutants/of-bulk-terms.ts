// Mutants of the terms of bulk cancellations: limits of cost over several relayers, free cancellations, and the pause.
import type { Mutant } from './mutant.ts'

const terms = ['bulkObjects', 'bulkTerms'] as const

export const ofBulkTerms: readonly Mutant[] = [
  {
    name: 'pause-nothing-with-the-cancel',
    breaks: 'lets a relayer send on that a bulk cancellation was to pause',
    with: terms,
    expects: 'did not pause its relayer',
    edits: [
      {
        file: 'src/commands/bulk-cancellations/stop-relayers.ts',
        find: 'const isPausedNow = head.pause && (await',
        put: 'const isPausedNow = head.pause && requester.keyId.length === 0 && (await',
      },
    ],
  },
  {
    name: 'forget-what-other-relayers-spent',
    breaks: 'gives each relayer of a bulk cancellation the whole max_cost',
    with: terms,
    expects: 'the shares add up to',
    edits: [
      {
        file: 'src/domain/cost-limit.ts',
        find: 'committed.reduce((sum, spent) => sum + spent, 0n)',
        put: 'committed.reduce((sum) => sum, 0n)',
      },
    ],
  },
  {
    name: 'bind-by-more-than-the-share',
    breaks: 'stores a bound of twice the share that max_cost leaves to a transaction',
    with: terms,
    expects: 'its transactions have shares of',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: "cancel(each, now, 'request', share)",
        put: "cancel(each, now, 'request', share === undefined ? share : 2n * share)",
      },
    ],
  },
  {
    name: 'take-without-a-share',
    breaks: 'starts a race without a bound although the bulk cancellation has a max_cost',
    with: terms,
    expects: 'without a share of',
    edits: [
      {
        file: 'src/store/transactions/cancel-pending.ts',
        find: "cancel(each, now, 'request', share)",
        put: "cancel(each, now, 'request', share === 0n ? share : undefined)",
      },
    ],
  },
  {
    name: 'take-a-race-for-free',
    breaks: 'takes for free what a node may have, so that a no-op has to race it',
    with: terms,
    expects: 'for free, and it is inFlight',
    edits: [
      {
        file: 'src/domain/decide/choose-within.ts',
        find: 'if (!neverReachedANode(each))\n',
        put: 'if (!neverReachedANode(each) && each.version < 0)\n',
      },
    ],
  },
  {
    name: 'leave-one-unnamed',
    breaks: 'leaves a match beyond the limit of cost, and does not list it',
    with: terms,
    expects: 'which was there before',
    edits: [
      {
        file: 'src/store/transactions/bulk-rows.ts',
        find: 'refused.length === 0 ? null : amountsToText(refused)',
        put: 'refused.length === 0 ? null : amountsToText(refused.slice(1))',
      },
    ],
  },
  {
    name: 'end-a-check-while-some-are-hidden',
    breaks: 'ends the history check of a restored copy while a bulk cancellation hides the transactions in doubt',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'while a bulk cancellation hides',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: 'return isHiding ? { ...nothing, lostHistory } : nothing',
        put: 'return nothing',
      },
    ],
  },
  {
    name: 'compare-without-the-hidden',
    breaks: 'explains spent nonces of a lost history without the transactions that a bulk cancellation hides',
    caughtBy: 'test/domain/lost-history/check-history.test.ts',
    expects: 'hides transactions that were not compared',
    edits: [
      {
        file: 'src/domain/decide/history/check-history.ts',
        find: '!work.found || !reach.isWhole || isHiding)',
        put: '!work.found || !reach.isWhole)',
      },
    ],
  },
]
