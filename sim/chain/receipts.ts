// The receipts of a node: some lack members, and some come many blocks after their block.
import type { Hex } from '../../src/domain/ids.ts'
import type { Dice } from '../../tooling/dice.ts'
import { ancestorAt, type Block, type Blocks, type Included } from './blocks.ts'
import { depositReceiptJson } from './deposits.ts'

export interface ReceiptHabits {
  readonly omits: readonly string[]
  /** A receipt is there so many blocks after its block. */
  readonly lateBlocks: number
  readonly ofBlocks: BlockReceiptsHabit
}

/** How a node answers to a call for all receipts of a block. `some`: every other one is missing. */
const habitsOfBlocks = ['all', 'some', 'refused', 'tooLarge'] as const
export type BlockReceiptsHabit = (typeof habitsOfBlocks)[number]

type Omissible = 'effectiveGasPrice' | 'status' | 'gasUsed'

const omissions: readonly (readonly Omissible[])[] = [
  ['effectiveGasPrice'],
  ['effectiveGasPrice'],
  ['status'],
  ['gasUsed'],
  ['effectiveGasPrice', 'status'],
  ['effectiveGasPrice', 'status', 'gasUsed'],
]

/** Most nodes return complete receipts at once. `withResults`: all show results, as beside a node that lies to the end two others have to. */
export function drawReceiptHabits(dice: Dice, blockDice: Dice, withResults: boolean): ReceiptHabits {
  const omits = dice.chance(0.3) ? dice.pick(omissions) : []
  return {
    omits: withResults ? omits.filter((member) => member !== 'status') : omits,
    lateBlocks: dice.chance(0.15) ? dice.between(1, 20) : 0,
    ofBlocks: blockDice.chance(0.6) ? 'all' : blockDice.pick(habitsOfBlocks),
  }
}

const hex = (number: number | bigint): Hex => `0x${number.toString(16)}`

export function receiptJson(blocks: Blocks, head: Block, hash: Hex, habits: ReceiptHabits): object | null {
  const ofDeposit = depositReceiptJson(blocks, head, hash)
  if (ofDeposit !== undefined) return ofDeposit
  const block = blocks.holding(hash).find((each) => ancestorAt(head, each.number) === each)
  const included = block?.included.find(({ transaction }) => transaction.hash === hash)
  if (!block || !included || head.number - block.number < habits.lateBlocks) return null
  const reported: Record<Omissible, Hex> = {
    gasUsed: hex(included.gasUsed),
    status: included.succeeded ? '0x1' : '0x0',
    effectiveGasPrice: hex(included.price),
  }
  const members = Object.entries(reported).filter(([name]) => !habits.omits.includes(name))
  return {
    ...{ transactionHash: hash, blockHash: block.hash, blockNumber: hex(block.number) },
    logs: leavesLog(included) ? [{}] : [],
    ...Object.fromEntries(members),
    ...(included.transaction.isDeposit && { type: '0x7e', depositNonce: hex(included.transaction.nonce) }),
    ...(included.l1Fee !== undefined && { l1Fee: hex(included.l1Fee) }),
  }
}

/** Some calls leave one, where they succeed. */
function leavesLog({ transaction: { hash, data }, succeeded }: Included): boolean {
  return succeeded && data !== '0x' && Number.parseInt(hash.slice(-1), 16) % 2 === 0
}
