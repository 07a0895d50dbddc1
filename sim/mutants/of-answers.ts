// The engine as it would be if it believed answers about another thing, chain, account, block or state than the one in question.
import type { Mutant } from './mutant.ts'

const stateless = 'test/chain/latest-state-only.test.ts'

export const ofAnswers: readonly Mutant[] = [
  {
    name: 'receipt-of-another',
    breaks: 'takes the receipt of another transaction for that of the attempt',
    with: ['anothersReceipt'],
    caughtBy: 'test/chain/inclusions/read-receipts.unit.test.ts',
    expects: 'that of another transaction proves nothing, denies nothing',
    edits: [
      {
        file: 'src/chain/inclusions/receipt.ts',
        find: '(receipt) => receipt.hash === hash)',
        put: '(receipt) => receipt.hash.length === hash.length)',
      },
    ],
  },
  {
    name: 'believe-two-receipts-of-a-nonce',
    breaks: 'takes the last of two receipts for attempts of one nonce, though at most one is true',
    caughtBy: 'test/chain/inclusions/read-receipts.unit.test.ts',
    expects: 'two attempts of one nonce with a receipt each: both are void',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'if (!receipt || contradicted.has(nonce)) continue',
        put: 'if (!receipt) continue',
      },
    ],
  },
  {
    name: 'another-block-for-the-requested-one',
    breaks: 'takes a block of another height for the requested one',
    caughtBy: 'test/chain/nodes/read-block.unit.test.ts',
    expects: 'the header of another height is none',
    edits: [
      {
        file: 'src/chain/nodes/read-block.ts',
        find: 'toHead, (head) => head.number === number)',
        put: 'toHead, (head) => head.number >= 0 || number < 0)',
      },
    ],
  },
  {
    name: 'answer-under-a-foreign-id',
    breaks: 'takes the last of two members with one id for the answer',
    caughtBy: 'test/chain/nodes/match-ids.unit.test.ts',
    expects: 'of two members with one id none counts',
    edits: [
      {
        file: 'src/chain/nodes/response-body.ts',
        find: 'counts.get(id) === 1 && ids.includes(id)',
        put: 'counts.has(id) && ids.includes(id)',
      },
    ],
  },
  {
    name: 'signer-of-anybody',
    breaks: 'takes a transaction that another account signed for one of ours',
    caughtBy: 'test/chain/inclusions/find-spender.unit.test.ts',
    expects: 'a transaction that another account signed is not of the account that the node names',
    edits: [
      {
        file: 'src/chain/inclusions/rebuild.ts',
        find: "if (!signer || !isAddressEqual(signer, sender)) return { kind: 'forged' }",
        put: "if (!signer) return { kind: 'forged' }",
      },
    ],
  },
  {
    name: 'bytes-without-their-hash',
    breaks: 'takes a transaction for proven whose bytes have another hash',
    caughtBy: 'test/chain/inclusions/find-spender.unit.test.ts',
    expects: 'proves itself, and altered it proves nothing',
    edits: [
      {
        file: 'src/chain/inclusions/rebuild.ts',
        find: '    if (keccak256(raw) !== mined.hash) continue\n',
        put: '',
      },
    ],
  },
  {
    name: 'one-reading-proves-a-spender',
    breaks: 'takes one answer of the only endpoint for proof of a spender without a signature',
    caughtBy: 'test/chain/inclusions/find-spender.unit.test.ts',
    expects: 'by the only endpoint it counts at the third reading',
    edits: [
      { file: 'src/chain/inclusions/corroborate.ts', find: 'const readingsMin = 3', put: 'const readingsMin = 1' },
    ],
  },
  {
    name: 'authorization-for-another-chain',
    breaks: 'takes an EIP-7702 authorization for another chain for the spender of a nonce here',
    caughtBy: 'test/chain/inclusions/find-spender.unit.test.ts',
    expects: 'by the account itself',
    edits: [
      {
        file: 'src/chain/inclusions/find-spender.ts',
        find: ' || ![0, chainId].includes(authorization.chainId)',
        put: '',
      },
    ],
  },
  {
    name: 'adopt-a-head-of-another-chain',
    breaks: 'adopts a head that links to nothing without reading the chain id again',
    caughtBy: 'test/chain/nodes/serving.test.ts',
    expects: 'a higher head of another chain is not adopted',
    edits: [{ file: 'src/chain/heads/read-head.ts', find: 'refusal = await refuse()', put: 'refusal = undefined' }],
  },
  {
    name: 'refusal-of-another-chain-counts',
    breaks: 'takes the refusal by a node of another chain for one by this chain',
    caughtBy: 'test/chain/nodes/serving.test.ts',
    expects: 'a refusal that mentions the chain id',
    edits: [
      {
        file: 'src/chain/sending/broadcast.ts',
        find: '  if (answers.some(doubtsChain)) await endpoint.confirm()\n',
        put: '',
      },
    ],
  },
  {
    name: 'believe-the-block-of-a-state-call',
    breaks: 'takes the latest count for that of an older block, where the node ignores the block of a call',
    caughtBy: stateless,
    expects: 'ignores the block of a call',
    edits: [
      {
        file: 'src/chain/nodes/read-nonce.ts',
        find: 'return ((await readNonce(endpoint, address, 0)) ?? 0) > 0',
        put: 'return ((await readNonce(endpoint, address, 0)) ?? 0) < 0',
      },
    ],
  },
  {
    name: 'the-latest-count-is-final',
    breaks: 'takes the latest count for that of the final block',
    caughtBy: stateless,
    expects: 'once that is final',
    edits: [
      {
        file: 'src/chain/inclusions/read-final-count.ts',
        find: 'finalAt: head + aheadMax',
        put: 'finalAt: head - head * aheadMax',
      },
    ],
  },
  {
    name: 'a-receipt-of-any-height',
    breaks: 'takes the result from a receipt that names another height than the body of the block',
    caughtBy: 'test/chain/inclusions/receipts.test.ts',
    expects: 'no evidence of the result',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'return shown.hash === hash && shown.block.number === block.number',
        put: 'return shown.hash === hash',
      },
      {
        file: 'src/chain/inclusions/prove-spender.ts',
        find: '(isDeep && number === block.number)',
        put: '(isDeep && number <= at.head.number)',
      },
    ],
  },
  {
    name: 'another-hash-is-a-refutation',
    breaks: 'takes a block with another hash and without the transaction for a refutation',
    caughtBy: 'test/chain/inclusions/call-witnesses.test.ts',
    expects: 'hash blocks differently',
    edits: [
      {
        file: 'src/chain/inclusions/witness-view.ts',
        find: "const denial = listing.hash === requested.block.hash ? 'unlisted' : 'elsewhere'",
        put: "const denial = listing.number === requested.block.number ? 'unlisted' : 'elsewhere'",
      },
    ],
  },
]
