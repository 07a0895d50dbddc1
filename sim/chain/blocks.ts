// The chain itself: blocks with their parents, what they hold, and which of them are canonical.
import type { Hash } from '../../src/domain/ids.ts'
import type { SimTransaction } from './transaction.ts'

export interface Account {
  readonly nonce: number
  readonly balance: bigint
}

export interface Included {
  readonly transaction: SimTransaction
  readonly succeeded: boolean
  readonly gasUsed: number
  readonly price: bigint
  /** It reverted because its value touched the reserve of the account. */
  readonly touchedReserve?: true
  /** Beside gas, on a chain that charges it. */
  readonly l1Fee?: bigint
}

export interface Block {
  readonly number: number
  readonly hash: Hash
  readonly parent: Block | undefined
  readonly timestampSeconds: number
  readonly baseFee: bigint
  /** The base fee of the next block, which follows from this one (EIP-1559), in wei. */
  readonly nextBaseFee: bigint
  readonly included: readonly Included[]
  /** Tips of the other transactions, in wei, lowest first. Each stands for an equal part of their gas. */
  readonly othersTips: readonly bigint[]
  readonly gasUsed: number
  /** Calls of the flaky contract reverted in it. */
  readonly reverts: boolean
  readonly accounts: ReadonlyMap<string, Account>
}

export const blockGasMax = 30_000_000

export interface Blocks {
  canonical(): Block
  adopt(head: Block): void
  seal(block: Omit<Block, 'hash' | 'number'>): Block
  /** Every block ever sealed that holds it, on any branch. */
  holding(hash: Hash): readonly Block[]
  isCanonical(block: Block): boolean
  byHash(hash: Hash): Block | undefined
  /** No other branch ever had a block at this height. */
  undisputed(number: number): boolean
}

export function openBlocks(genesis: Omit<Block, 'hash' | 'number' | 'parent'>): Blocks {
  const holders = new Map<Hash, Block[]>()
  const byHash = new Map<Hash, Block>()
  const atHeight = new Map<number, number>()
  let sealed = 0
  let head = seal({ ...genesis, parent: undefined })

  function seal(block: Omit<Block, 'hash' | 'number'>): Block {
    sealed += 1
    const hash: Hash = `0xb10c${sealed.toString(16).padStart(60, '0')}`
    const made = { ...block, number: (block.parent?.number ?? -1) + 1, hash }
    byHash.set(hash, made)
    atHeight.set(made.number, (atHeight.get(made.number) ?? 0) + 1)
    for (const { transaction } of made.included) {
      holders.set(transaction.hash, [...(holders.get(transaction.hash) ?? []), made])
    }
    return made
  }

  return {
    canonical: () => head,
    adopt(block) {
      head = block
    },
    seal,
    holding: (hash) => holders.get(hash) ?? [],
    isCanonical: (block) => ancestorAt(head, block.number) === block,
    byHash: (hash) => byHash.get(hash),
    undisputed: (number) => atHeight.get(number) === 1,
  }
}

/** The block at a height on the branch that ends in `head`; undefined above it. */
export function ancestorAt(head: Block, number: number): Block | undefined {
  let at: Block | undefined = head
  if (number > head.number) return undefined
  while (at && at.number > number) at = at.parent
  return at
}

export function accountAt(block: Block, address: string): Account {
  return block.accounts.get(address) ?? { nonce: 0, balance: 0n }
}

/** Blocks of each branch above their common ancestor, highest first. */
export function branches(one: Block, other: Block): { left: readonly Block[]; right: readonly Block[] } {
  const left: Block[] = []
  const right: Block[] = []
  let [a, b]: [Block | undefined, Block | undefined] = [one, other]
  while (a && b && a !== b) {
    if (a.number >= b.number) {
      left.push(a)
      a = a.parent
    } else {
      right.push(b)
      b = b.parent
    }
  }
  return { left, right }
}
