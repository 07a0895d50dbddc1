// Checks signed bytes on their way: they are recorded before they leave, no DELETE came before them, and a nonce has one owner.
import type { Hash, Hex } from '../../src/domain/ids.ts'
import { raisedBy } from '../../src/domain/units.ts'
import { accountAt, ancestorAt, type Block } from '../chain/blocks.ts'
import type { SimNode } from '../chain/node.ts'
import type { Admission } from '../chain/pool.ts'
import { effectivePrice } from '../chain/profiles.ts'
import type { ChainKind } from '../chain/sequencer.ts'
import { decode, isNoOp, type SimTransaction } from '../chain/transaction.ts'
import type { Disk } from '../process/database.ts'
import type { Instance } from '../process/instance.ts'

export interface Recorded {
  readonly transaction_id: string
  readonly relayer_id: string
  readonly nonce: number
  readonly kind: string
  readonly position: number
  readonly recorded_at_block: number
  readonly presigned: number
}

interface Other {
  readonly hash: Hash
  readonly kind: string
  readonly revision: number
  readonly position: number
  readonly state: string
  readonly outcome: string | null
  readonly outcome_code: string | null
  readonly gas_limit: number
  readonly gas_price: string | null
  readonly max_fee_per_gas: string | null
}

export interface Bytes {
  leaving(instance: Instance, raws: readonly Hex[]): void
  broadcast(node: SimNode, transaction: SimTransaction, admission: Admission): void
  /** The recorded attempt. Undefined for foreign bytes, and for ours without a record. */
  recorded(hash: Hash): Recorded | undefined
  /** All transactions that a node ever received and could have kept. */
  readonly everBroadcast: SimTransaction[]
  /** A copy was restored: bytes that it does not hold are foreign from now on. Returns them. */
  forget(): readonly SimTransaction[]
}

export interface ByteWatch {
  fail(what: string): void
  /** The position of the DELETE that was answered with success, among all database transactions. */
  deletedAt(id: string): number | undefined
  /** Only one block was ever at this height, so a price was made for its base fee. */
  undisputed(number: number): boolean
  /** Canceled by its client after a restore: the service answers a DELETE from its record. */
  wasUnknowable(id: string): boolean
  /** A node falsely called these bytes invalid. */
  wasCalledInvalid(hash: Hash): boolean
  readonly kind: ChainKind
  /** Transactions are ordered as they come now. */
  isFcfs(): boolean
  canonical(): Block
}

export function watchBytes({ committed }: Disk, watch: ByteWatch): Bytes {
  const { fail, deletedAt, undisputed, wasUnknowable, wasCalledInvalid, kind, isFcfs, canonical } = watch
  const find = committed<[string], Recorded>(
    'SELECT a.transaction_id, t.relayer_id, a.nonce, a.kind, a.position, a.recorded_at_block, a.presigned FROM attempts a JOIN transactions t ON t.id = a.transaction_id WHERE a.hash = ? ORDER BY t.sequence DESC, a.position DESC',
  )
  const saidOf = committed<[Hash], { outcome_code: string | null }>('SELECT outcome_code FROM answered WHERE hash = ?')
  const poolless = committed<[Hash], { hash: Hash }>(
    "SELECT hash FROM answered WHERE hash = ? AND (rejections = 'all' OR state NOT IN ('sending', 'handed'))",
  )
  const found = new Map<Hash, Recorded>()
  /** The owners of possibly valid bytes that a node has received, by sender and nonce. */
  const owners = new Map<string, Set<string>>()
  /** The ids of transactions whose bytes a node received since the disk was last exchanged. */
  const sentSince = new Set<string>()
  const everBroadcast = new Map<Hash, SimTransaction>()
  /** Transactions among those that a restored copy did not hold. Another copy may hold them. */
  const forgotten = new Map<Hash, SimTransaction>()
  const othersOf = committed<[string, number], Other>(
    'SELECT hash, kind, revision, position, state, outcome, outcome_code, gas_limit, gas_price, max_fee_per_gas FROM answered WHERE transaction_id = ? AND nonce = ? ORDER BY position',
  )
  const seen = new Set<Hash>()
  /** Bids below an earlier bid that was probably in no pool. */
  const pricedBelow = new Set<Hash>()
  /** Bytes that were in no pool when the restored copy was made, and were broadcast later. */
  const poollessByCopy = new Set<Hash>()

  function recorded(hash: Hash): Recorded | undefined {
    const known = found.get(hash) ?? find(hash)[0]
    if (known) found.set(hash, known)
    return known
  }

  function own(from: string, nonce: number, attempt: Recorded): ReadonlySet<string> {
    const key = `${from} ${nonce}`
    const known = owners.get(key) ?? new Set()
    owners.set(key, known.add(attempt.transaction_id))
    return known
  }

  /** Fails on bytes that the engine may not sign on a chain of this kind. */
  function checkKind(transaction: SimTransaction, attempt: Recorded): void {
    const { hash, nonce, gasLimit, cap } = transaction
    const name = `nonce ${nonce} of ${attempt.transaction_id.slice(-6)}`
    if (kind.hasL1Gas && isNoOp(transaction) && gasLimit <= 21_000) fail(`a no-op for ${name} has ${gasLimit} gas`)
    if (!isFcfs() || kind.switchesOrder || seen.has(hash)) return
    seen.add(hash)
    const all = othersOf(attempt.transaction_id, attempt.nonce)
    const others = all.filter((each) => each.hash !== hash)
    const revision = all.find((each) => each.hash === hash)?.revision
    // A hash alone shows no order, and a receipt none once the base fee is above what the payload pays.
    const ordered = others.find(
      (each) =>
        each.kind !== 'cancel' &&
        each.outcome_code === 'ordered' &&
        BigInt(each.max_fee_per_gas ?? each.gas_price ?? 0) >= canonical().baseFee,
    )
    if (attempt.kind === 'cancel' && ordered) fail(`a no-op for ${name}, and a receipt had shown its payload`)
    if (attempt.kind === 'replace' && ordered && ordered.revision !== revision)
      fail(`a replacement for ${name}, and a receipt had shown the payload before it`)
    const before = others
      .filter((each) => each.kind === attempt.kind && each.revision === revision && each.position < attempt.position)
      .at(-1)
    if (!before || before.outcome === 'rejected' || before.state !== 'handed' || before.gas_limit < gasLimit) return
    const price = BigInt(before.max_fee_per_gas ?? before.gas_price ?? 0)
    // An engine may be a few blocks behind, and bytes that a pause kept may leave many blocks after they were priced.
    const { number } = canonical()
    const blocks = Math.max(0, number - attempt.recorded_at_block) + 64
    const heights = Array.from({ length: blocks }, (_, ago) => ancestorAt(canonical(), number - ago))
    const dearest = heights.reduce(
      (most, block) => (block && block.baseFee > most ? block.baseFee : most),
      canonical().nextBaseFee,
    )
    if (price >= dearest && cap > price) fail(`a bid of ${cap} for ${name} over ${price}, which pays the base fee`)
  }

  return {
    recorded,
    get everBroadcast() {
      return [...everBroadcast.values()]
    },
    forget() {
      found.clear()
      owners.clear()
      sentSince.clear()
      const all = [...everBroadcast, ...forgotten]
      everBroadcast.clear()
      forgotten.clear()
      poollessByCopy.clear()
      for (const [hash, transaction] of all) {
        if (poolless(hash).length > 0) poollessByCopy.add(hash)
        const attempt = recorded(hash)
        if (attempt) own(transaction.from, transaction.nonce, attempt)
        ;(attempt ? everBroadcast : forgotten).set(hash, transaction)
      }
      return [...forgotten.values()]
    },
    leaving(instance, raws) {
      for (const raw of raws) {
        const { hash, nonce } = decode(raw)
        // A gap filler may be what another was for the same nonce, at the same price: the later row counts.
        found.delete(hash)
        const attempt = recorded(hash)
        if (!attempt) {
          fail(`p${instance.id} lets bytes for nonce ${nonce} go that are not recorded (${hash.slice(0, 10)})`)
          continue
        }
        const deleted = deletedAt(attempt.transaction_id)
        // Under way from the commit that ordered it: an order after the DELETE is a new broadcast.
        const ordered = instance.orderedAt.get(hash) ?? instance.lastOwned.get(attempt.relayer_id) ?? -1
        if (attempt.kind !== 'cancel' && deleted !== undefined && ordered > deleted) {
          fail(`p${instance.id} broadcasts ${attempt.transaction_id.slice(-6)} although a DELETE of it had succeeded`)
        }
        checkKind(decode(raw), attempt)
      }
    },
    broadcast(node, transaction, admission) {
      const { hash, from, nonce } = transaction
      const attempt = recorded(hash)
      if (!attempt) return
      const invalid = !admission.admitted && admission.refusal === 'invalid'
      if (invalid) return
      everBroadcast.set(hash, transaction)
      poollessByCopy.delete(hash)
      // Bytes that the sequencer rejected have no owner, and their nonce is free.
      if (kind.isFcfs && !admission.admitted) return
      sentSince.add(attempt.transaction_id)
      // A restored copy may hold an attempt as never sent, and a DELETE is answered by that.
      const known = [...own(from, nonce, attempt)].filter((id) => sentSince.has(id) || !wasUnknowable(id))
      if (known.length > 1) {
        fail(`nonce ${nonce} was given to ${known.map((id) => id.slice(-6)).join(' and ')}: both reached a node`)
      }
      if (admission.admitted || admission.refusal !== 'replacementUnderpriced' || !admission.rival) return
      // Where gas is free nothing outbids nothing, and yet some pools take the one for the other.
      if (transaction.cap === 0n && admission.rival.cap === 0n) return
      // What a node said can't be paid for, or was bid below since, is likely in no pool: one that keeps it is met once.
      const { value, gasLimit, cap } = admission.rival
      // It was not in the way when the price was made, and is not later, when the balance may cover it again.
      const cost = value + BigInt(gasLimit) * cap
      const wasUnlikely = cost > accountAt(node.head, from).balance || cap > transaction.cap
      const said = saidOf(admission.rival.hash)[0]?.outcome_code
      const wasRefused = said === 'insufficientFunds'
      // One pool preferred a foreign transaction to the rival, and another pool holds the rival. A lower tip under a higher cap may
      // win the first pool; the second pool goes on holding the rival, which is a bid of ours.
      const comesDown =
        said === 'replacementUnderpriced' && cap < transaction.cap && transaction.tip < admission.rival.tip
      // A node kept the bytes that it called invalid, so our bid meets them once.
      const wasDenied = wasCalledInvalid(admission.rival.hash)
      if (wasUnlikely || wasRefused || wasDenied || comesDown || poollessByCopy.has(admission.rival.hash))
        pricedBelow.add(hash)
      if (pricedBelow.has(hash)) return
      // It was signed before the bump that has passed its price, and begins the race all the same.
      if (attempt.presigned === 1 && isPassed(transaction, admission.rival, node)) return
      const rival = recorded(admission.rival.hash)
      const later = rival?.transaction_id === attempt.transaction_id && rival.position < attempt.position
      // Besu compares at its own base fee: a price holds from a block behind the head it was made at to two ahead of it.
      const { recorded_at_block: at } = attempt
      const ahead = node.head.number - at
      const near = ahead >= -1 && ahead <= 2 && undisputed(at) && undisputed(node.head.number)
      // Before the service reads that the chain orders by tips, it outbids nothing.
      if (later && !kind.switchesOrder && (node.profile.client !== 'besu' || near)) {
        fail(
          `${node.profile.client} refused a replacement for nonce ${nonce} that was priced over attempt ${rival.position}`,
        )
      }
    },
  }
}

/** Whether the strictest pool refuses the bid as a replacement of the rival. Besu compares prices at its base fee. */
function isPassed(bid: SimTransaction, rival: SimTransaction, { profile, head }: SimNode): boolean {
  const pays = (each: SimTransaction) => effectivePrice(each, head.nextBaseFee)
  const paysLess = profile.client === 'besu' && pays(bid) < raisedBy(pays(rival), 10n)
  return paysLess || bid.cap < raisedBy(rival.cap, 10n) || bid.tip < raisedBy(rival.tip, 10n)
}
