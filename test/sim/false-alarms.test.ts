// Situations in which the engine is right, and the simulator once reported a failure.
import { expect, test } from 'vitest'
import type { Block, Blocks } from '../../sim/chain/blocks.ts'
import type { SimNode } from '../../sim/chain/node.ts'
import { ethereum } from '../../sim/chain/sequencer.ts'
import { type SimTransaction, taggedData } from '../../sim/chain/transaction.ts'
import { type Recorded, watchBytes } from '../../sim/check/bytes.ts'
import { watchTruth } from '../../sim/check/truth.ts'
import { wantAgain } from '../../sim/restore.ts'
import { runNode, simulator } from './simulate.ts'

/** What the simulator says when a block executes the payload 7, which was canceled for good before a restore. */
function saidOfExecution(wonBefore: ReadonlySet<number>): readonly string[] {
  const failures: string[] = []
  const first = { number: 0, hash: '0xa', included: [] } as unknown as Block
  const included = [{ transaction: { hash: '0x1', data: taggedData(7) } }]
  let head = first
  const truth = watchTruth({ canonical: () => head } as unknown as Blocks, [], { recorded: () => undefined } as never, {
    ...{ fail: (what: string) => failures.push(what), rows: () => new Map(), executed: () => undefined },
    ...{
      mayBeTakenBack: () => false,
      isLost: () => false,
      isInclusionForged: () => false,
      areReceiptsMixedUp: () => false,
      isCostForged: () => false,
      wasUnknowable: () => false,
    },
    wasWonBefore: (tag) => wonBefore.has(tag),
  })
  head = { number: 1, hash: '0xb', parent: first, included } as unknown as Block
  truth.moved()
  return failures
}

test('a PUT repeats a payload that was canceled for good before a restore, and the chain executes it', () => {
  const wonBefore = new Set([7])
  expect(saidOfExecution(wonBefore)).toEqual([
    'payload 7 was canceled for good before the restore, and executed after it in block 1',
  ])
  wantAgain({ wonBefore }, 7)
  expect(saidOfExecution(wonBefore)).toEqual([])
})

test('a pre-signed no-op of level 2 is used while recent blocks are empty', async () => {
  const { code } = await runNode([
    simulator,
    ...['--seed', '81013', '--steps', '300', '--with', 'remoteSigners,presign'],
  ])
  expect(code).toBe(0)
})

const gwei = 1_000_000_000n
const bid = (hash: string, cap: bigint, tip: bigint) => ({ hash, from: '0xa', nonce: 4, cap, tip }) as SimTransaction
/** A bump of the payload, and what races it. */
const bump = bid('0x1', 30n * gwei, 3n * gwei)

/** What the simulator says when a node refuses the no-op for the bump, which has the place before it. */
function failuresOf(noOp: SimTransaction, presigned: number): readonly string[] {
  const failures: string[] = []
  const row = (position: number): Recorded => ({
    ...{ transaction_id: 'one', relayer_id: 'r0', nonce: 4, kind: 'execute' },
    ...{ position, recorded_at_block: 7, presigned: position === 1 ? 0 : presigned },
  })
  const found = new Map([
    ['0x1', row(1)],
    ['0x2', row(2)],
  ])
  const committed = (sql: string) => (hash: unknown) =>
    sql.includes('t.relayer_id') ? [found.get(String(hash))].filter((each) => each !== undefined) : []
  const head = { number: 7, accounts: new Map([['0xa', { nonce: 4, balance: 10n ** 18n }]]) } as unknown as Block
  const bytes = watchBytes({ committed } as never, {
    fail: (what) => failures.push(what),
    ...{
      deletedAt: () => undefined,
      undisputed: () => true,
      wasUnknowable: () => false,
      wasCalledInvalid: () => false,
    },
    ...{ kind: ethereum, isFcfs: () => false, canonical: () => head },
  })
  const node = { head, profile: { client: 'geth' } } as unknown as SimNode
  bytes.broadcast(node, bump, { admitted: true })
  bytes.broadcast(node, noOp, {
    admitted: false,
    refusal: 'replacementUnderpriced',
    rival: { ...bump, value: 0n, gasLimit: 21_000 },
  })
  return failures
}

test('a pre-signed no-op whose tip a bump has passed is refused', () => {
  expect(failuresOf(bid('0x2', 60n * gwei, 3n * gwei), 1)).toEqual([])
})

test('a no-op that was signed after the bump is never refused for it, and neither is a pre-signed one that exceeds it', () => {
  const refused = ['geth refused a replacement for nonce 4 that was priced over attempt 1']
  expect(failuresOf(bid('0x2', 60n * gwei, 3n * gwei), 0)).toEqual(refused)
  expect(failuresOf(bid('0x2', 60n * gwei, 4n * gwei), 1)).toEqual(refused)
})
