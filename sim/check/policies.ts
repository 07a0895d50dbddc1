// Checks the policies, and the limits of the client, for every payload that is accepted, gets a nonce or is signed. The policies in
// force are those of the relayer's row in the same database transaction: from the answer to a change on, or from a start.
import { windowMax } from '../../src/domain/decide/terms/window.ts'
import type { Hash } from '../../src/domain/ids.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import { decode, isNoOp, isSweepReceiver, type SimTransaction, tagOf } from '../chain/transaction.ts'
import type { Disk } from '../process/database.ts'
import type { Instance } from '../process/instance.ts'
import type { Entry } from '../process/journal.ts'
import type { EstimateChecks } from './estimates.ts'
import type { Funds } from './funds.ts'
import { forbiddenBy, refusedBy, rulesOf } from './rules.ts'

export interface PolicyChecks {
  /** An owner begins a step, and reads its rows. */
  reads(instance: Instance, relayer: string): void
  /** A process has committed. */
  committed(instance: Instance): void
}

export interface PolicyWatch {
  fail(what: string): void
  /** The address whose key signs for the relayer, in lower case, and its chain. */
  accountOf(relayer: string): { readonly address: string; readonly chainId: number }
  /** The request that carried this payload number. */
  requestOf(tag: number): SendRequest | undefined
  /** Sent in a part of the history that a restored copy does not hold, under policies that are lost. */
  isLost(hash: Hash): boolean
  /** A node falsely called bytes of this transaction invalid. The service may then give it up, by a no-op. */
  wasCalledInvalid(id: string): boolean
  /** A client has requested its cancellation: by its id, or for its relayer, where a bulk cancellation took it. */
  isRequested(entry: Entry, isInBulk: boolean): boolean
  /** The time by the machine's clock, and the jumps of that clock so far. */
  clock(): { readonly nowMs: number; readonly skewMs: number }
  /** Calls of this contract may revert, so that a payload to it may be rejected. */
  readonly flaky: string
  /** No node estimates a call of this contract. */
  readonly broken: string
  /** Checks the gas of a payload whose client names none. Absent: no node lies about estimates. */
  readonly estimates: EstimateChecks | undefined
  /** A signature comes some steps after its decision. */
  readonly signsLate: boolean
  /** The least and the most gas of the request, over all gas rules that the chain may have. */
  gasOf(request: SendRequest): { readonly least: number; readonly most: number }
  /** Part of the gas may rise after an estimate, so the estimate may become too low. */
  readonly gasRises: boolean
}

interface InFlight {
  readonly id: string
  readonly raw: SimTransaction['raw']
  /** The rejections of the attempt by every node. A rejected attempt commits no money. */
  readonly rejections: string | null
  readonly position: number
  readonly recorded_at_block: number
}

export function watchPolicies({ committed, journal }: Disk, funds: Funds, watch: PolicyWatch): PolicyChecks {
  const {
    fail,
    accountOf,
    requestOf,
    isLost,
    wasCalledInvalid,
    isRequested,
    clock,
    flaky,
    broken,
    estimates,
    gasOf,
    gasRises,
    signsLate,
  } = watch
  const inFlight = committed<[string], InFlight>(
    "SELECT t.id, a.raw, a.rejections, a.position, a.recorded_at_block FROM transactions t JOIN answered a ON a.transaction_id = t.id AND a.nonce = t.nonce WHERE t.relayer_id = ? AND t.open = 1 AND t.phase = 'inFlight'",
  )
  // A release may put a transaction before the sweep, while a step gives the sweep its nonce.
  const waitingBefore = committed<[string, string], { id: string }>(
    "SELECT id FROM transactions WHERE relayer_id = ? AND status = 'pending' AND was_held IS NULL AND sequence < (SELECT sequence FROM transactions WHERE id = ?)",
  )
  // Later transactions may pass one that is on hold, or that waits for its client's decision after a restore.
  const passedBy = committed<[string, string], { id: string; wait_condition: string | null; was_passed: 1 | null }>(
    "SELECT id, wait_condition, was_passed FROM transactions WHERE relayer_id = ? AND phase = 'queued' AND open = 1 AND was_held IS NULL AND suspected_hash IS NULL AND sequence < (SELECT sequence FROM transactions WHERE id = ?)",
  )
  const partOf = committed<[string], { bulk_part: number | null }>('SELECT bulk_part FROM transactions WHERE id = ?')
  const isInBulk = ({ transaction_id: id }: Entry) => typeof partOf(id)[0]?.bulk_part === 'number'
  /** By transaction: the lowest nonce that one behind it got while it waited. */
  const passed = new Map<string, number>()
  const everBound = new Set<string>()
  /**
   * Transactions whose payload a PUT changed. One that a restore left unclear is in the queue again from then on, and signatures for those
   * behind it may be under way: no promise says that a PUT comes before them.
   */
  const changed = new Set<string>()
  /** The time at which the latest step began, by process and relayer. */
  const began = new Map<string, ReturnType<PolicyWatch['clock']>>()

  /** No policy applies to bytes that were signed before the restore. */
  const bytesOf = ({ bytes }: Entry) => decode(bytes as SimTransaction['raw'])
  const sent = (tag: number | undefined) => (tag === undefined ? undefined : requestOf(tag))
  const keyOf = ({ id }: Instance, { relayer_id }: Pick<Entry, 'relayer_id'>) => `${id} ${relayer_id}`
  const named = ({ transaction_id: id }: Entry) => id.slice(-6)

  function accepted(entry: Entry): void {
    const request = sent(tagOf({ data: entry.bytes as SimTransaction['data'] }))
    if (!request) {
      fail(`${named(entry)}: a payload is stored that no client sent`)
      return
    }
    if (entry.paused === 1) fail(`${named(entry)}: its payload was accepted while the relayer was paused`)
    if (entry.network_paused === 1) fail(`${named(entry)}: its payload was accepted while the network was paused`)
    const reason = refusedBy(rulesOf(entry.policies), request)
    if (reason !== undefined) fail(`${named(entry)}: its payload was accepted although ${reason}`)
  }

  /** The service gives up no payload that the policies allow and the chain would execute. */
  function refused(entry: Entry): void {
    const request = sent(tagOf({ data: entry.bytes as SimTransaction['data'] }))
    if (!request || request.to === flaky || (request.gasLimit ?? Number.POSITIVE_INFINITY) < gasOf(request).most) return
    if ((gasRises || request.to === broken) && request.gasLimit === undefined) return
    if (wasCalledInvalid(entry.transaction_id)) return
    if (forbiddenBy(rulesOf(entry.policies), request) === undefined) {
      fail(`${named(entry)}: it was given up, and nothing is wrong with its payload`)
    }
  }

  function expired(instance: Instance, entry: Entry): void {
    const [from, to] = [began.get(keyOf(instance, entry)), clock()]
    if (from?.skewMs !== to.skewMs || (entry.figure !== null && entry.figure <= to.nowMs)) return
    fail(`${named(entry)}: it expired, and its valid_until is ${entry.figure ?? 'not given'}`)
  }

  /** The sender is recovered from the signature: another key would spend a nonce of another account. */
  function checkSender(entry: Entry): void {
    const { from, chainId } = bytesOf(entry)
    const account = accountOf(entry.relayer_id)
    if (from !== account.address) fail(`${named(entry)}: ${from} signed its bytes, not the key of ${entry.relayer_id}`)
    if (chainId !== account.chainId) fail(`${named(entry)}: its bytes are signed for chain ${chainId}`)
  }

  function signed(instance: Instance, entry: Entry, isFirst: boolean): void {
    const transaction = bytesOf(entry)
    const { cap } = transaction
    const rules = rulesOf(entry.policies)
    const name = named(entry)
    const request = sent(tagOf(transaction))
    if (!request) {
      if (!isNoOp(transaction)) fail(`${name}: bytes were signed that no client sent`)
      const most = rules.cancelGasPriceCap
      if (most !== undefined && cap > most) fail(`${name}: a no-op pays ${cap}, and cancel_gas_price_cap is ${most}`)
    } else {
      if (rules.gasPriceCap !== undefined && cap > rules.gasPriceCap) {
        fail(`${name}: an attempt pays ${cap}, and gas_price_cap is ${rules.gasPriceCap}`)
      }
      comparePrice(name, transaction, request)
      comparePayload(name, transaction, request)
      estimates?.signed(instance, name, transaction, request)
      const from = began.get(keyOf(instance, entry))
      const { validUntil = Number.POSITIVE_INFINITY } = request
      if (from && from.skewMs === clock().skewMs && validUntil <= from.nowMs) {
        fail(`${name}: its payload was signed ${from.nowMs - validUntil} ms after its valid_until, or later`)
      }
    }
    // A client that names its fees also chooses their type.
    if (!isFirst || (request && request.pricing.kind !== 'speed')) return
    if (isType2(transaction) === !rules.eip1559Pricing) {
      fail(`${name}: eip1559_pricing is ${rules.eip1559Pricing}, and it begins ${transaction.raw.slice(0, 4)}`)
    }
  }

  function comparePrice(name: string, { cap, tip }: SimTransaction, { pricing }: SendRequest): void {
    if (pricing.kind === 'legacy' && (cap !== pricing.gasPrice || tip !== pricing.gasPrice)) {
      fail(`${name}: it pays ${cap}, and its client named ${pricing.gasPrice}`)
    }
    if (pricing.kind !== 'eip1559') return
    const { maxFeePerGas, maxPriorityFeePerGas } = pricing
    if (cap !== maxFeePerGas || tip !== maxPriorityFeePerGas) {
      fail(`${name}: it pays ${cap} and tips ${tip}, and its client named ${maxFeePerGas} and ${maxPriorityFeePerGas}`)
    }
  }

  function comparePayload(name: string, { to, value, data, gasLimit }: SimTransaction, request: SendRequest): void {
    const isSame = to === (request.to?.toLowerCase() ?? '0x') && data === request.data
    if (!isSame || (value !== request.value && !isSweepReceiver(to)))
      fail(`${name}: its payload is not that of the send`)
    if (request.gasLimit === undefined && estimates) return
    if (request.gasLimit === undefined ? gasLimit < gasOf(request).least : gasLimit !== request.gasLimit) {
      fail(
        `${name}: it may use ${gasLimit} gas, and ${request.gasLimit ?? gasOf(request).least} were named or estimated`,
      )
    }
  }

  /** An earlier transaction gets the lower nonce. One that has lost its nonce counts as newer than the others. */
  function checkOrder(bind: Entry, skipsUnfunded: boolean): void {
    const { transaction_id: id, relayer_id: relayer, figure } = bind
    const nonce = figure ?? 0
    const passedAt = passed.get(id) ?? nonce
    if (passedAt < nonce && !everBound.has(id))
      fail(`${named(bind)} got nonce ${nonce}, and one that came later got ${passedAt} before`)
    for (const { id: before, wait_condition: wait, was_passed: mark } of passedBy(relayer, id)) {
      if ((skipsUnfunded && wait === 'balance_short') || (signsLate && mark && changed.has(before))) continue
      passed.set(before, Math.min(nonce, passed.get(before) ?? nonce))
    }
    everBound.add(id)
  }

  /** The transactions of a relayer that got a nonce in one commit. Gap fillers and no-ops need neither room nor balance. */
  function bound(entries: readonly Entry[]): void {
    const signings = entries.filter(({ what }) => what === 'signed')
    const own = (of: string) => signings.filter(({ transaction_id: id }) => id === of).map(bytesOf)
    const isOurs = ({ what, transaction_id: id }: Entry) =>
      what === 'bound' && own(id).some(({ hash }) => !isLost(hash))
    const binds = entries.filter(isOurs)
    const isSweep = ({ transaction_id: id }: Entry) => own(id).some(({ to }) => isSweepReceiver(to))
    const [first] = binds
    const [transaction] = first ? own(first.transaction_id) : []
    if (!first || !transaction) return
    const rules = rulesOf(first.policies)
    for (const each of binds) {
      const request = sent(tagOf({ data: each.bytes as SimTransaction['data'] }))
      const reason = request && forbiddenBy(rules, request)
      if (each.paused === 1 && !isSweep(each))
        fail(`${named(each)} got nonce ${each.figure} while the relayer was paused`)
      if (each.network_paused === 1 && !isSweep(each))
        fail(`${named(each)} got nonce ${each.figure} while the network was paused`)
      if (reason !== undefined) fail(`${named(each)} got nonce ${each.figure} although ${reason}`)
    }
    const gapFillers = entries.filter(({ what }) => what === 'filled').map(({ transaction_id: id }) => id)
    const attempts = inFlight(first.relayer_id).filter(({ id }) => !gapFillers.includes(id))
    const many = new Set(attempts.map(({ id }) => id)).size
    const most = rules.maxInFlight ?? windowMax
    // Those that the count calls spent stay in flight until their receipts come.
    if (many > 2 * most) fail(`${named(first)} got a nonce as number ${many} in flight of twice ${most}`)
    const swept = binds.find(isSweep)
    if (swept && many > 1) fail(`${named(swept)} sweeps the account beside ${many - 1} others in flight`)
    const waiting = swept ? waitingBefore(swept.relayer_id, swept.transaction_id) : []
    if (swept && waiting.length > 0) fail(`${named(swept)} sweeps the account before ${waiting.length} that came first`)
    for (const bind of binds) checkOrder(bind, rules.skipUnfunded === true)
    const isBound = (id: string) => binds.some(({ transaction_id: other }) => other === id)
    const news = new Set(signings.map(({ bytes }) => bytes))
    const atBlock = signings.find(({ transaction_id: id }) => id === first.transaction_id)?.figure ?? 0
    // Signed by another group of the same step, or of a later one: another price, or a no-op.
    const isLater = (each: InFlight) => signsLate && each.position > 0 && each.recorded_at_block >= atBlock
    funds.bound({
      name: named(first),
      rules,
      atBlock,
      from: transaction.from,
      ...(swept && { swept: transaction }),
      // Repricings of the same step are not included.
      promised: attempts
        .filter((each) => !isLater(each))
        .filter(({ id, raw, rejections }) => (isBound(id) ? news.has(raw) : !news.has(raw) && rejections === null))
        .map(({ raw }) => decode(raw)),
    })
  }

  return {
    reads(instance, relayer) {
      began.set(keyOf(instance, { relayer_id: relayer }), clock())
    },
    committed(instance) {
      const entries = journal.since()
      // Before all else: the other checks look at the account that signed.
      for (const entry of entries) if (entry.what === 'signed') checkSender(entry)
      const binding = new Set(entries.flatMap(({ what, relayer_id: id }) => (what === 'bound' ? [id] : [])))
      for (const relayer of binding) bound(entries.filter(({ relayer_id: id }) => id === relayer))
      for (const entry of entries) {
        switch (entry.what) {
          case 'accepted':
          case 'replaced':
            if (entry.what === 'replaced') changed.add(entry.transaction_id)
            accepted(entry)
            break
          case 'refused':
            refused(entry)
            break
          case 'released':
            if (entry.paused === 1) fail(`${named(entry)}: it was released while the relayer was paused`)
            if (entry.network_paused === 1) fail(`${named(entry)}: it was released while the network was paused`)
            break
          case 'canceled':
            if (entry.figure === 1) fail(`${named(entry)}: a DELETE was accepted although it is mined`)
            if (!isRequested(entry, isInBulk(entry)))
              fail(`${named(entry)}: it was canceled, and no client requested that`)
            break
          case 'expired':
            expired(instance, entry)
            break
          case 'signed': {
            if (isLost(bytesOf(entry).hash)) break
            const gotIt = (each: Entry) =>
              each.transaction_id === entry.transaction_id && (each.what === 'bound' || each.what === 'filled')
            signed(instance, entry, entries.some(gotIt))
            break
          }
          case 'swept':
            if (entry.paused === 0) fail(`${named(entry)}: it sweeps the account, and the relayer is not paused`)
            break
          case 'resumed':
            fail(`${entry.relayer_id}: its own pause changed with that of its network`)
            break
          case 'bound':
          case 'filled':
            break
        }
      }
    },
  }
}

function isType2({ raw }: SimTransaction): boolean {
  return raw.startsWith('0x02')
}
