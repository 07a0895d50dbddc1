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
    name: 'omitted-from-a-block-is-denied',
    breaks: 'takes a receipt that the receipts of a block lack for one that the node does not have',
    caughtBy: 'test/chain/inclusions/receipts-of-block.unit.test.ts',
    expects: 'an omission is no denial',
    edits: [
      {
        file: 'src/chain/inclusions/read-receipts.ts',
        find: 'return value ? { value } : readReceipt(endpoint, hash)',
        put: "return value ? { value } : ofBlock ? { failed: 'omitted', why: 'none' } : readReceipt(endpoint, hash)",
      },
    ],
  },
  {
    name: 'receipts-of-another-branch-kept',
    breaks: 'keeps the receipts of another branch, and reads none of the block that is canonical',
    caughtBy: 'test/chain/inclusions/receipts-of-block.unit.test.ts',
    expects: 'those of another branch prove nothing',
    edits: [
      {
        file: 'src/chain/inclusions/receipts-of-block.ts',
        find: 'block.hash !== (hash ?? block.hash)',
        put: 'block.hash === hash && isAnother',
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
    name: 'the-latest-count-is-final',
    breaks: 'takes the latest count for that of the final block',
    caughtBy: stateless,
    expects: 'once that is final',
    edits: [
      {
        file: 'src/chain/inclusions/read-final-count.ts',
        find: 'finalAt: head + aheadMax.depth',
        put: 'finalAt: head - head * aheadMax.depth',
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
