// Notes the marks of one run, where the simulator sees them. It changes nothing, and draws nothing.
import type { Block, Blocks } from '../chain/blocks.ts'
import type { Member, SimNode } from '../chain/node.ts'
import type { Admission } from '../chain/pool.ts'
import type { SimTransaction } from '../chain/transaction.ts'
import type { Row } from '../check/row.ts'
import { marksOfMining, marksOfOffer, type PoolContext } from './mark-pools.ts'
import { isRacing, marksOfRow } from './mark-rows.ts'
import { isMark, type Mark } from './marks.ts'

export interface Marks {
  note(mark: Mark): void
  /** Notes the mark if a race is on. */
  inRace(mark: Mark): void
  changed(row: Row, before: Row | undefined): void
  /** A node got these bytes from the service, or from somebody else. */
  offered(node: SimNode, transaction: SimTransaction, admission: Admission): void
  /** Before the pools lose what the block spends. */
  mined(block: Block): void
  reorganized(depth: number, lost: readonly SimTransaction[]): void
  ended(how: 'dead' | 'paused'): void
  restored(forgotten: number): void
  lied(honest: Member, claimed: Member | 'gone', isSend: boolean): void
  logged(message: string): void
  reached(): readonly Mark[]
}

export interface MarkContext extends Pick<PoolContext, 'recorded' | 'isLying' | 'isSignerDown'> {
  readonly blocks: Blocks
  readonly nodes: () => readonly SimNode[]
}

/** Blocks that still belong to a reorganization. */
const reorgBlocks = 3

export function watchMarks({ blocks, nodes, ...seen }: MarkContext): Marks {
  const found = new Set<Mark>()
  const races = new Set<string>()
  const givenUp = new Set<string>()
  /** By id: the hash that took the nonce last. */
  const winners = new Map<string, string>()
  let restores = 0
  let reorgAt = Number.NEGATIVE_INFINITY

  const note = (mark: Mark) => void found.add(mark)
  const inRace = (mark: Mark) => void (races.size > 0 && note(mark))
  const noteAll = (all: readonly Mark[]) => all.forEach(note)
  const pools: PoolContext = {
    ...seen,
    isRacing: (id) => races.has(id),
    isAfterReorg: () => blocks.canonical().number - reorgAt <= reorgBlocks,
  }

  return {
    note,
    inRace,
    changed(row, before) {
      if (isRacing(row)) races.add(row.id)
      else races.delete(row.id)
      if (row.cancel_origin === 'refusal') givenUp.add(row.id)
      const flags = { hasLiar: seen.isLying(), wasRestored: restores > 0, isAnyGivenUp: givenUp.size > 0 }
      noteAll(marksOfRow(row, before, { nodes: nodes().length, ...flags, lastWinner: winners.get(row.id) }))
      if (row.included_hash !== null) winners.set(row.id, row.included_hash)
    },
    offered: (node, transaction, admission) => noteAll(marksOfOffer(node, transaction, admission, pools)),
    mined({ included }) {
      for (const { transaction } of included) {
        const { from, nonce } = transaction
        const pooled = nodes().flatMap(({ pool }) => pool.bySender.get(from)?.get(nonce) ?? [])
        noteAll(marksOfMining(transaction, pooled, pools))
      }
    },
    reorganized(depth, lost) {
      reorgAt = blocks.canonical().number
      inRace('reorg-in-a-race')
      if (depth >= 6) note('reorg-of-six')
      if (lost.some(({ hash }) => seen.recorded(hash)?.kind === 'cancel')) note('reorg-takes-no-op')
    },
    ended: (how) => inRace(how === 'dead' ? 'crash-in-a-race' : 'pause-in-a-race'),
    restored(forgotten) {
      inRace('restore-in-a-race')
      if (forgotten > 0) note('restore-forgets-broadcasts')
      if (restores > 0) note('second-restore')
      restores += 1
      races.clear()
      winners.clear()
    },
    lied(honest, claimed, isSend) {
      inRace('lie-in-a-race')
      if (!isSend || claimed === 'gone' || claimed.error === undefined || honest.result === undefined) return
      note('lie-about-acceptance')
      inRace('lie-about-acceptance-in-a-race')
    },
    logged(message) {
      if (isMark(message)) note(message)
    },
    reached: () => [...found],
  }
}
