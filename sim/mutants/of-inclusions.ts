// Mutants of inclusions: receipts, blocks and confirmations.
import type { Mutant } from './mutant.ts'

export const ofInclusions: readonly Mutant[] = [
  {
    name: 'follow-only-the-no-op',
    breaks: 'asks only for the receipt of the no-op once a transaction is canceled',
    caughtBy: 'test/domain/decide/work.test.ts',
    expects: 'the receipt of a canceled transaction is read as well as that of its no-op',
    edits: [
      {
        file: 'src/domain/decide/facts/inquire.ts',
        find: '.filter(mayBeKnown)',
        put: ".filter((each) => mayBeKnown(each) && (each.kind === 'cancel' || lifecycle.attempts.every(({ kind }) => kind !== 'cancel')))",
      },
    ],
  },
  {
    name: 'settle-without-confirmations',
    breaks: 'calls final what was mined a block ago',
    expects: 'that block is not',
    edits: [
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []',
        put: '',
      },
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (!isFinal(inclusion.block.number, observation, policy)) {',
        put: 'if (head.number < 0) {',
      },
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (unwitnessed) return unwitnessed',
        put: 'if (unwitnessed && observation.testimonies?.has(inclusion.hash)) return unwitnessed',
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
    caughtBy: 'test/chain/inclusions/denied-receipts.unit.test.ts',
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
    name: 'figures-of-two-blocks',
    breaks: 'merges the receipts of two nodes, also where a reorganization came in between',
    caughtBy: 'test/chain/inclusions/find-inclusions.unit.test.ts',
    expects: 'is not the price of the next one',
    edits: [
      {
        file: 'src/chain/inclusions/find-inclusions.ts',
        find: 'return known.block.hash === reported.block.hash ? { ...known, ...reported } : reported',
        put: 'return { ...known, ...reported }',
      },
    ],
  },
  {
    name: 'height-for-the-block',
    breaks: 'takes the receipt of a node on an old branch for that of the deep block at the same height',
    caughtBy: 'test/chain/inclusions/read-receipts.unit.test.ts',
    expects: 'says nothing of the block at the same height',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'return valueIn(await readHeader(endpoint, block.number))?.hash === shown.block.hash',
        put: 'return valueIn(await readHeader(endpoint, block.number)) !== undefined',
      },
    ],
  },
  {
    name: 'deep-block-of-anybody',
    breaks: 'asks a node on an old branch which deep block is canonical',
    caughtBy: 'test/chain/heads/read-canonical.unit.test.ts',
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
    name: 'unreadable-entry-closes-the-block',
    breaks: 'searches on for all endpoints below a block whose entry it could not read',
    caughtBy: 'test/chain/inclusions/damaged-entries.unit.test.ts',
    expects: 'goes on below by itself, and the next one reads that block first',
    edits: [
      {
        file: 'src/chain/inclusions/prove-spender.ts',
        find: '    if (body.unread.length > 0) by = itself\n',
        put: '',
      },
    ],
  },
  {
    name: 'located-block-unconfirmed',
    breaks: 'goes on looking for a spender in the block that a reorganization took it from',
    caughtBy: 'test/chain/inclusions/locate-spending.unit.test.ts',
    expects: 'is found anew once a reorganization has moved it',
    edits: [
      {
        file: 'src/chain/inclusions/locate-spending.ts',
        find: 'if (before !== undefined && before <= live.nonce && after !== undefined && after > live.nonce)',
        put: 'if (before !== undefined && after !== undefined)',
      },
    ],
  },
  {
    name: 'requeue-before-finality',
    breaks: 'gives a fresh nonce as soon as a foreign transaction has taken the first',
    expects: 'that block is not',
    edits: [
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (confirmations(head, inclusion.block) < policy.requiredConfirmations) return []',
        put: "if (confirmations(head, inclusion.block) < policy.requiredConfirmations && spenderKind(inclusion) !== 'foreign') return []",
      },
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (!isFinal(inclusion.block.number, observation, policy)) {',
        put: "if (spenderKind(inclusion) !== 'foreign' && !isFinal(inclusion.block.number, observation, policy)) {",
      },
      {
        file: 'src/domain/decide/follow.ts',
        find: 'if (unwitnessed) return unwitnessed',
        put: "if (unwitnessed && spenderKind(inclusion) !== 'foreign') return unwitnessed",
      },
    ],
  },
]
