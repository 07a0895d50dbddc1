// Opens the nodes of a run at its first block.
import { dice } from '../tooling/dice.ts'
import type { Block } from './chain/blocks.ts'
import { openNode, type SimNode } from './chain/node.ts'
import type { Pool } from './chain/pool.ts'
import { drawReceiptHabits } from './chain/receipts.ts'
import { epochMs } from './process/engine.ts'
import type { Scenario } from './scenario/scenario.ts'

/** The first block: each relayer's account has its balance. */
export function genesis({ fees }: Scenario, addresses: readonly string[]): Omit<Block, 'hash' | 'number' | 'parent'> {
  return {
    timestampSeconds: epochMs / 1000,
    baseFee: fees.firstBaseFee,
    nextBaseFee: fees.firstBaseFee,
    included: [],
    othersTips: [],
    gasUsed: 0,
    reverts: false,
    accounts: new Map(addresses.map((address) => [address, { nonce: 0, balance: fees.balance }])),
  }
}

/** `shared`: the pool behind all nodes, where a sequencer has one. */
export function openNodes(seed: number, scenario: Scenario, head: Block, shared: Pool | undefined): readonly SimNode[] {
  const gateways = dice(seed, 'gateways')
  const receipts = dice(seed, 'receipts')
  const receiptsOfBlocks = dice(seed, 'receiptsOfBlocks')
  return scenario.profiles.map((profile, index) =>
    openNode(
      index,
      profile,
      head,
      {
        refusesCode: gateways.chance(0.2),
        pendingCount: scenario.gaps.pendingCounts[index] ?? 'pool',
        tagAnswer: scenario.finality?.answers[index] ?? 'error',
        receipts: drawReceiptHabits(receipts, receiptsOfBlocks, scenario.brokenEnd === 'liar'),
      },
      shared,
    ),
  )
}
