// Checks of time on chains with short blocks, where a rule that only counts blocks is over in a moment: a nonce is left to a foreign
// transaction for long enough, no bid and no payload is given up too soon, and no more is in flight than blocks take.
import type { Hash } from '../../src/domain/ids.ts'
import { accountAt, type Block, type Blocks } from '../chain/blocks.ts'
import type { Member, SimNode } from '../chain/node.ts'
import type { LieCall as Call } from '../lies/lie.ts'
import type { Disk } from '../process/database.ts'
import type { Instance } from '../process/instance.ts'
import type { Recorded } from './bytes.ts'
import type { Row } from './row.ts'

export interface PatienceChecks {
  /** A node answers. */
  answered(node: SimNode, call: Call, member: Member): void
  /** A process hears an answer. */
  heard(instance: Instance, call: Call, member: Member): void
  /** An owner begins a step. */
  reads(instance: Instance, relayer: string): void
  /** A process has committed. */
  committed(instance: Instance): void
  /** A node has refused these bytes for good. */
  refused(hash: Hash): void
  changed(row: Row, before: Row | undefined): void
  /** The chain has another head. */
  moved(): void
  /** A copy was restored. */
  forget(): void
}

export interface PatienceWatch {
  fail(what: string): void
  nowMs(): number
  /** How far the machine's clock is off. */
  skewMs(): number
  recorded(hash: Hash): Recorded | undefined
  readonly addresses: readonly string[]
  /** The block time of the moment. */
  blocktimeMs(): number
}

/** A foreign transaction has a nonce for itself for so long, since a node counted it. */
const foreignMs = 24_000
/** While a look is under way, the queue goes on by the one before it, whose head was read so short a time ago. */
const goesOnMs = 6_000
/** Between two attempts of one purpose, unless the base fee has passed the first. */
const bidMs = 2_000
/** From the first refusal of a payload to its end. */
const giveUpMs = 4_000
/** What blocks took of an account in this time, or in two blocks, it may have in flight twice. */
const takenMs = 4_000
const inFlightMin = 32
/** The service may know a block so much later. */
const viewMs = 15_000

interface New {
  readonly place: number
  readonly transaction_id: string
  readonly relayer_id: string
  readonly nonce: number
  readonly position: number
  readonly hash: Hash
  readonly kind: string
  readonly revision: number
  readonly presigned: 0 | 1
  readonly recovered: 0 | 1
  readonly recorded_at: number
}

interface Before {
  readonly hash: Hash
  readonly kind: string
  readonly revision: number
  readonly recorded_at: number
  readonly state: string
  readonly outcome: string | null
  readonly outcome_code: string | null
  readonly rejections: string | null
  readonly cap: string
}

export function watchPatience({ committed }: Disk, blocks: Blocks, watch: PatienceWatch): PatienceChecks {
  const { fail, nowMs, recorded, addresses } = watch
  const added = committed<[number], New>(
    'SELECT a.rowid AS place, a.transaction_id, t.relayer_id, a.nonce, a.position, a.hash, a.kind, a.revision, a.presigned, a.recovered, a.recorded_at FROM attempts a JOIN transactions t ON t.id = a.transaction_id WHERE a.rowid > ? ORDER BY a.rowid',
  )
  const lastPlace = committed<[], { place: number | null }>('SELECT max(rowid) AS place FROM attempts')
  const earlierAt = committed<[string, number, number], { n: number }>(
    'SELECT count(*) AS n FROM attempts a JOIN transactions t ON t.id = a.transaction_id WHERE t.relayer_id = ? AND a.nonce = ? AND a.rowid < ?',
  )
  const before = committed<[string, number, number], Before>(
    'SELECT hash, kind, revision, recorded_at, state, outcome, outcome_code, rejections, coalesce(max_fee_per_gas, gas_price) AS cap FROM answered WHERE transaction_id = ? AND nonce = ? AND position < ? ORDER BY position DESC',
  )
  const behind = committed<[string, number], { transaction_id: string; nonce: number }>(
    "SELECT id AS transaction_id, nonce FROM transactions WHERE relayer_id = ? AND open = 1 AND phase = 'inFlight' AND nonce > ?",
  )
  /** The foreign transactions that an answer counts. */
  const counts = new WeakMap<Member, readonly number[]>()
  /** When a process heard that a foreign transaction has the nonce: by process, relayer and nonce. */
  const counted = new Map<string, number>()
  const began = new Map<string, number>()
  /** How far the machine's clock was off when an attempt was recorded. */
  const skews = new Map<Hash, number>()
  /** When the first attempt of each transaction and nonce was recorded. */
  const recordedMs = new Map<string, number>()
  const refusedMs = new Map<string, number>()
  const baseFees: { readonly ms: number; readonly baseFee: bigint }[] = []
  let head = blocks.canonical()
  let last = 0
  const taken = addresses.map(() => ({ lately: [] as number[], most: 0 }))

  const relayerOf = (address: string) => addresses.indexOf(address.toLowerCase())
  const isPendingCount = ({ method, params }: Call) => method === 'eth_getTransactionCount' && params[1] === 'pending'

  /** Whether it is not the first attempt at its nonce. Such an attempt does not raise the number in flight. */
  function isAgain({ relayer_id: relayer, nonce, place }: New): boolean {
    return (earlierAt(relayer, nonce, place)[0]?.n ?? 0) > 0
  }

  function checkForeign(instance: Instance, bound: New): void {
    const { relayer_id: relayer, nonce, transaction_id: id } = bound
    const since = counted.get(`${instance.id} ${relayer} ${nonce}`)
    if (since === undefined || since >= (began.get(`${instance.id} ${relayer}`) ?? 0)) return
    if (nowMs() - since < goesOnMs) return
    if (isAgain(bound) || nowMs() - since >= foreignMs) return
    fail(
      `${id.slice(-6)} takes nonce ${nonce}, for which a node counted a foreign transaction ${nowMs() - since} ms ago`,
    )
  }

  /** By the stored times, of the steps that decided them. */
  function checkBid({ transaction_id: id, nonce, position, kind, revision, ...added }: New): void {
    if (added.presigned === 1 || added.recovered === 1) return
    const isSame = (other: { kind: string; revision: number }) =>
      kind === 'cancel' ? other.kind === 'cancel' : other.kind !== 'cancel' && other.revision === revision
    const earlier = before(id, nonce, position).find(isSame)
    if (!earlier) return
    const ms = added.recorded_at - earlier.recorded_at
    if (ms < 0 || ms >= bidMs || skews.get(earlier.hash) !== watch.skewMs()) return
    const { state, outcome, outcome_code: code, rejections, cap } = earlier
    if (state === 'held' || state === 'withdrawn' || rejections !== null) return
    if (outcome === 'rejected' || code === 'unrecognized') return
    if (baseFees.some(({ baseFee }) => baseFee > BigInt(cap))) return
    const most = baseFees.reduce((dearest, { baseFee }) => (baseFee > dearest ? baseFee : dearest), 0n)
    fail(
      `attempt ${position} of ${id.slice(-6)} for nonce ${nonce} (${kind}) comes ${ms} ms after one like it, whose cap of ${cap} paid every base fee, up to ${most} (${outcome} ${code})`,
    )
  }

  /**
   * By the most that blocks ever took in 4 s, not in the last 4 s: while few are sent, nothing shows that blocks take fewer, so the window
   * keeps its size. test/sim/window.test.ts bounds the number in flight while an endless queue meets blocks that take few.
   */
  function checkInFlight({ relayer_id: relayer }: New): void {
    const index = Number(relayer.slice(1))
    const { nonce } = accountAt(blocks.canonical(), addresses[index] ?? '')
    const many = behind(relayer, nonce - 1).length
    const most = Math.max(inFlightMin, 2 * (taken[index]?.most ?? 0))
    if (many > most) fail(`${relayer} has ${many} in flight, and blocks took no more than half of ${most} in 4 s`)
  }

  function take(block: Block): void {
    const from = nowMs() - Math.max(takenMs, 2 * watch.blocktimeMs())
    for (const [index, each] of taken.entries()) {
      const own = block.included.filter(({ transaction }) => transaction.from === addresses[index])
      each.lately = [...each.lately.filter((ms) => ms > from), ...own.map(nowMs)]
      each.most = Math.max(each.most, each.lately.length)
    }
  }

  return {
    answered(node, call, member) {
      if (!isPendingCount(call)) return
      const address = String(call.params[0]).toLowerCase()
      const held = [...(node.pool.bySender.get(address)?.values() ?? [])]
      const foreign = held.filter(({ hash, nonce }) => !recorded(hash) && nonce < Number(member.result))
      counts.set(
        member,
        foreign.map(({ nonce }) => nonce),
      )
    },
    heard(instance, call, member) {
      const foreign = counts.get(member)
      if (!foreign) return
      const key = `${instance.id} r${relayerOf(String(call.params[0]))} `
      // The foreign transactions are gone, or ours took their places.
      for (const each of counted.keys())
        if (each.startsWith(key) && !foreign.includes(Number(each.slice(key.length)))) counted.delete(each)
      for (const nonce of foreign) counted.set(`${key}${nonce}`, counted.get(`${key}${nonce}`) ?? nowMs())
    },
    reads: (instance, relayer) => void began.set(`${instance.id} ${relayer}`, nowMs()),
    committed(instance) {
      const news = added(last)
      for (const each of news) {
        last = each.place
        const key = `${each.transaction_id} ${each.nonce}`
        const isFirst = !recordedMs.has(key)
        skews.set(each.hash, watch.skewMs())
        checkForeign(instance, each)
        checkBid(each)
        if (isFirst) recordedMs.set(key, nowMs())
      }
      const bound = news.find((each) => each.kind !== 'cancel' && each.recovered === 0 && !isAgain(each))
      if (bound) checkInFlight(bound)
    },
    refused(hash) {
      const id = recorded(hash)?.transaction_id
      if (id !== undefined && !refusedMs.has(id)) refusedMs.set(id, nowMs())
    },
    changed(row, earlier) {
      if (row.cancel_origin !== 'refusal' || earlier?.cancel_origin === 'refusal') return
      const since = refusedMs.get(row.id) ?? recordedMs.get(`${row.id} ${row.nonce}`)
      if (since === undefined || nowMs() - since >= giveUpMs) return
      fail(`${row.id.slice(-6)} was given up ${nowMs() - since} ms after its first refusal`)
    },
    moved() {
      const block = blocks.canonical()
      if (block.parent === head) take(block)
      head = block
      baseFees.push({ ms: nowMs(), baseFee: block.nextBaseFee })
      while ((baseFees[0]?.ms ?? nowMs()) < nowMs() - viewMs) baseFees.shift()
    },
    forget() {
      last = lastPlace()[0]?.place ?? 0
      recordedMs.clear()
    },
  }
}
