// Checks the ends that the service reports against the true chain.

import type { Hash } from '../../src/domain/ids.ts'
import { ancestorAt, type Block, type Blocks, branches } from '../chain/blocks.ts'
import type { SimNode } from '../chain/node.ts'
import { isNoOp, type SimTransaction, tagOf, tagsOf } from '../chain/transaction.ts'
import type { Bytes } from './bytes.ts'
import { wrongFigures } from './executions.ts'
import type { Row } from './row.ts'

export interface Truth {
  /** The canonical chain moved. */
  moved(): void
  /** A node takes over another head. */
  nodeMoves(node: SimNode, to: Block): void
  changed(row: Row, before: Row | undefined): void
  /** The number of executions of this payload on the canonical chain. */
  executions(tag: number): number
  /** The number of executions that did not revert. */
  successes(tag: number): number
  /** Checks every end again. */
  recheck(): void
}

export interface TruthWatch {
  fail(what: string): void
  rows(): ReadonlyMap<string, Row>
  /** The block was final by the rule of the network, and a reorganization that this rule allows took it back. */
  mayBeTakenBack(block: Block): boolean
  /** Sent by a part of the history that a restored copy does not hold. */
  isLost(transaction: SimTransaction): boolean
  /** Canceled for good before a restore, with `safe_to_retry`: its client may send it again. */
  wasWonBefore(tag: number): boolean
  /** Canceled by its client after a restore: the DELETE is answered from the restored copy. */
  wasUnknowable(id: string): boolean
  /** A node reports false inclusions, and all its answers agree. */
  isInclusionForged(): boolean
  /** A node returns receipts of other transactions. */
  areReceiptsMixedUp(): boolean
  /** A node named a false cost in its receipt. */
  isCostForged(hash: Hash): boolean
  /** The canonical chain executes it from now on. */
  executed(tag: number): void
}

export function watchTruth(
  blocks: Blocks,
  nodes: readonly SimNode[],
  bytes: Pick<Bytes, 'recorded'>,
  { fail, rows, mayBeTakenBack, isLost, wasWonBefore, wasUnknowable, executed, ...lie }: TruthWatch,
): Truth {
  let head = blocks.canonical()
  /** The number of executions of each payload on the canonical chain. */
  const executions = new Map<number, number>()
  const successes = new Map<number, number>()
  /** Blocks that any node ever dropped from its branch or adopted late. */
  const doubted = new Set<Hash>()

  function count(block: Block, change: number): void {
    for (const { transaction, succeeded } of block.included) {
      const tag = tagOf(transaction)
      if (tag === undefined) continue
      const times = (executions.get(tag) ?? 0) + change
      executions.set(tag, times)
      if (succeeded) successes.set(tag, (successes.get(tag) ?? 0) + change)
      if (change > 0 && wasWonBefore(tag))
        fail(`payload ${tag} was canceled for good before the restore, and executed after it in block ${block.number}`)
      if (times > 1) fail(`payload ${tag} was executed twice, the second time in block ${block.number}`)
      if (change > 0) executed(tag)
    }
  }

  function verify(row: Row): void {
    const name = row.id.slice(-6)
    // At most one of all its payloads is executed.
    const tags = tagsOf(row)
    const executed = tags.reduce((sum, tag) => sum + (executions.get(tag) ?? 0), 0)
    if (row.phase === 'dropped') {
      if (executed > 0 && !wasUnknowable(row.id))
        fail(`${name} is ${row.status}, dropped, and of its payloads ${tags} one is on the chain`)
      return
    }
    const block = blocks.byHash(row.included_block_hash as Hash)
    const included = block?.included.find(({ transaction }) => transaction.hash === row.included_hash)
    if (!block || !included) {
      // The inclusion is not final yet, and a witness takes it back.
      if (row.open === 1 && lie.isInclusionForged()) return
      fail(`${name} is ${row.status} by ${row.included_hash}, which no block holds`)
      return
    }
    const { transaction, succeeded } = included
    const attempt = bytes.recorded(transaction.hash)
    const ours = attempt?.transaction_id === row.id
    const spender = ours
      ? isNoOp(transaction) && attempt.kind === 'cancel'
        ? 'cancel'
        : attempt.kind
      : isLost(transaction) && carriesPayloadOf(row, transaction)
        ? 'unrecorded'
        : 'external'
    if (spender !== row.included_kind) fail(`${name} was taken by ${spender}, and the row says ${row.included_kind}`)
    if (transaction.nonce !== row.nonce) fail(`${name} holds nonce ${row.nonce}, its block spent ${transaction.nonce}`)
    const habits = {
      nodes: nodes.map(({ receipts }) => receipts),
      areReceiptsMixedUp: lie.areReceiptsMixedUp(),
      isCostForged: lie.isCostForged(transaction.hash),
    }
    for (const wrong of wrongFigures(row, included, spender !== 'external', habits)) fail(`${name}: ${wrong}`)
    if (row.phase !== 'final') return
    if (!blocks.isCanonical(block) && !mayBeTakenBack(block))
      fail(
        `${name} is finally ${row.status} by block ${block.number} (${block.hash.slice(-4)}), which is not canonical; heads: ${nodes.map(({ head: at }) => `${at.number} (${at.hash.slice(-4)})`)}`,
      )
    const payload = spender === 'execute' || spender === 'replace' || spender === 'unrecorded'
    const end = endOf(row, payload, succeeded)
    if (row.status !== end) fail(`${name} is finally ${row.status}, and should be ${end}`)
    if (tags.length > 0 && executed !== (payload ? 1 : 0) && !wasUnknowable(row.id)) {
      fail(`${name} is finally ${row.status}, and of its payloads ${tags} ${executed} were executed`)
    }
  }

  return {
    moved() {
      const { left: gone, right: come } = branches(head, blocks.canonical())
      head = blocks.canonical()
      for (const block of gone) count(block, -1)
      for (const block of [...come].reverse()) count(block, 1)
      if (gone.length > 0) this.recheck()
      else
        for (const block of come)
          for (const { transaction } of block.included) {
            const attempt = bytes.recorded(transaction.hash)
            const row = attempt && rows().get(attempt.transaction_id)
            if (row?.open === 0) verify(row)
          }
    },
    nodeMoves(node, to) {
      const { left: gone, right: come } = branches(node.head, to)
      for (const block of gone) doubted.add(block.hash)
      for (const block of come) if (block.number <= node.head.number) doubted.add(block.hash)
    },
    changed(row, before) {
      if (row.phase === 'mined' || row.open === 0) verify(row)
      const name = row.id.slice(-6)
      if (before?.phase === 'mined' && row.phase === 'inFlight' && before.nonce === row.nonce) {
        const block = blocks.byHash(before.included_block_hash as Hash)
        if (
          block &&
          !doubted.has(block.hash) &&
          blocks.isCanonical(block) &&
          // While the other nodes are silent, one node's denial takes back an inclusion that is not final.
          !lie.isInclusionForged() &&
          nodes.every((node) => !misses(node, block))
        )
          fail(`${name} was taken back from ${before.status} though its block ${block?.number} stands everywhere`)
      }
    },
    executions: (tag) => executions.get(tag) ?? 0,
    successes: (tag) => successes.get(tag) ?? 0,
    recheck() {
      for (const row of rows().values()) if (row.open === 0) verify(row)
    },
  }
}

/** What fills a gap carries no number: any no-op says the same. */
function carriesPayloadOf(row: Row, transaction: SimTransaction): boolean {
  const tag = tagOf(transaction)
  return tag === undefined ? row.origin === 'gap' && isNoOp(transaction) : tagsOf(row).includes(tag)
}

/** Its branch is as high and holds another block there. */
function misses({ head }: SimNode, block: Block): boolean {
  return head.number >= block.number && ancestorAt(head, block.number) !== block
}

/** What the API must say of a nonce that is finally taken. */
function endOf(row: Row, payload: boolean, succeeded: boolean): string {
  if (payload && row.included_succeeded === null) return 'mined'
  if (payload) return succeeded ? 'confirmed' : 'failed'
  return row.cancel_origin === 'expiry' ? 'expired' : row.cancel_origin === 'request' ? 'canceled' : 'failed'
}
