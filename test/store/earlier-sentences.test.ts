// What an earlier release kept as sentences only is data from its migration on: why a transaction waits, and which
// attempts were rebuilt from the chain. The sentences themselves are kept in any case.
import { expect, test } from 'vitest'
import { type Condition, conditions } from '../../src/domain/condition.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { statusReasonOf } from '../../src/domain/wait.ts'
import { payloadToRow } from '../../src/store/transactions/payload-row.ts'
import { hashOf } from '../http/support/rows.ts'
import { earlierDatabases, schemaBefore } from './earlier-database.ts'

const relayer = 'one' as RelayerId
const address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** What earlier releases wrote of transactions that wait. */
const sentences: readonly (readonly [Condition, string])[] = [
  ['paused', 'waits: the relayer is paused'],
  ['paused', 'waits: the relayer is paused; unpause it, or cancel this'],
  [
    'policy',
    'waits: the replacement is forbidden: to: 0x70 is not in whitelist_receivers; or replace it again, or cancel',
  ],
  ['balance_below_minimum', 'waits: the balance is below min_balance (10 wei)'],
  ['balance_below_minimum', 'waits: the balance (7 wei) is below min_balance (10 wei): top it up by 3 wei'],
  ['balance_short', 'waits: the balance does not cover its value and gas beside what is in flight and cancel_reserve'],
  [
    'balance_short',
    'waits: the balance (5 wei) does not cover its value (1 wei) and gas beside what is in flight and cancel_reserve: top it up by 10 wei',
  ],
  ['balance_short', 'waits: a node says that the balance does not cover it'],
  ['balance_short', 'waits: a node says that the balance does not cover it, which may cost 42 wei: top it up'],
  [
    'balance_short',
    'waits: a higher price is needed, and the balance does not cover it beside what is in flight and cancel_reserve; it may cost 50 wei: top it up, wait, or cancel it',
  ],
  ['cancel_unfunded', 'canceled; the balance does not cover the no-op: top it up'],
  ['cancel_unfunded', 'canceled; the balance does not cover the no-op, which may cost 84 wei: top it up'],
  ['gas_price_cap', 'waits: the base fee is above gas_price_cap (5 wei)'],
  [
    'gas_price_cap',
    'waits: the base fee (up to 10 wei) is above gas_price_cap (5 wei): raise the cap, wait, or cancel it',
  ],
  [
    'gas_price_cap',
    'waits: the fee that it was sent with (3 wei) is above gas_price_cap (2 wei): raise the cap, wait, or cancel it',
  ],
  ['gas_price_cap', 'waits at gas_price_cap (20 wei): a higher price would be needed to be mined sooner'],
  [
    'gas_price_cap',
    "waits: over 0xab it needs 9 wei per gas, of which 2 as tip, which the replacement's fee or gas_price_cap forbids",
  ],
  ['cancel_gas_price_cap', 'waits at cancel_gas_price_cap (1 wei): a higher price would be needed to be mined sooner'],
  [
    'cancel_gas_price_cap',
    'canceled; the no-op would need more than cancel_gas_price_cap (7 wei), and is tried again each block',
  ],
  [
    'own_price',
    'waits at the price that it was sent with (3 wei per gas, of which 2 as tip), at which nobody mines it now: wait, replace it at a higher one, or cancel it',
  ],
  ['attempts_exhausted', 'waits: none of the 64 attempts for nonce 0 was mined, and no more are signed: cancel it'],
  [
    'attempts_exhausted',
    "waits: no attempt for nonce 0 was mined, and more would be beyond 10 times the market's price: the last is sent again",
  ],
  [
    'attempts_exhausted',
    'canceled; none of 64 no-ops for nonce 0 was mined, and no more are signed: they are handed over again',
  ],
  [
    'attempts_exhausted',
    "canceled; no no-op for nonce 0 was mined, and more would be beyond 10 times the market's price",
  ],
  [
    'nonce_blocked',
    'waits: nonce 0 comes first, and a transaction that is not ours waits for it in the pool: if it is not mined by block 112, the nonce is taken from it',
  ],
  ['pool_unseen', 'waits: nonce 0 comes first and is unused, and no node shows its pool, where a foreign one may wait'],
  ['pool_unseen', 'canceled; nonce 0 comes first and is unused, and no node shows its pool, where a foreign one may'],
  [
    'nonce_unproven',
    'waits: nonce 0 is spent, and no node shows yet by which transaction: if this lasts, add an endpoint',
  ],
  ['nonce_unproven', 'canceled; nonce 0 is spent, and no node shows yet by which transaction: if this lasts, add one'],
  [
    'history_unknown',
    'waits: nonce 5 was used by transactions that this database does not hold, and once those are final it is looked',
  ],
  [
    'history_unknown',
    'waits: nonces from 4 to 5 were used by transactions that this database does not hold, and once those are final',
  ],
  [
    'cancellation_unclear',
    'waits: the no-op 0xf00 (nonce 5) canceled this or another transaction, and this database does not hold which',
  ],
  [
    'node_behind',
    'waits: the node says nonce 4, but every nonce below 9 is settled; it is behind, or its chain was reset',
  ],
  ['node_refuses', 'waits: the node refuses it for now, and is handed it again: txpool is full'],
  ['node_refuses', 'waits: a node holds its own price too low: transaction underpriced'],
  [
    'node_refuses',
    'waits: a node answers with an error that is not known of any client, and is sent it again: on hold',
  ],
  [
    'node_refuses',
    'waits: the node refuses the no-op that fills nonce 0, and is handed it again, less and less often: no',
  ],
  [
    'node_refuses',
    'waits: nonce 0 comes first, and the node refuses the no-op that would fill it: no; it is tried again',
  ],
  ['node_refuses', 'canceled; nonce 0 comes first, and the node refuses the no-op that would fill it: no; it is tried'],
  [
    'node_refuses',
    'canceled; a node answers the no-op with an error that is not known of any client, and is sent it again: x',
  ],
  ['node_refuses', 'canceled; the node refused the no-op: intrinsic gas too low'],
  ['node_refuses', 'canceled; the node refused the no-op, and is handed it again, less and less often: intrinsic gas'],
  ['node_refuses', 'canceled; the node refuses the no-op for now, and is handed it again: txpool is full'],
  ['node_unreachable', 'waits: no node could be reached: no connection'],
  ['node_unreachable', 'waits: no node of the network answers: endpoint 0: refused'],
  ['node_unreachable', 'canceled; no node of the network answers: endpoint 0: refused'],
  ['node_unreachable', 'canceled; the no-op could not reach a node: no connection'],
  ['facts_missing', 'waits: no node tells the price of gas'],
  ['facts_missing', 'waits: no node tells the balance'],
  ['gas_unknown', 'waits: the node could not estimate its gas; cancel it and send it with a gas_limit, if this lasts'],
  ['gas_unknown', 'waits: the node could not estimate the gas of the replacement; name a gas_limit, if this lasts'],
  ['would_revert', 'waits for what is in flight: it would revert by now: no allowance'],
  ['would_revert', 'waits: the replacement would revert: no; replace it again, or cancel'],
]

const relayerRow = `INSERT INTO relayers (id, name, network, chain_id, address, signer_id, paused, policies, epoch,
  last_sequence, spent_below) VALUES ('${relayer}', 'one', 'localhost', 31337, '${address}', 's', 0, '{}', 1, 200, 2)`

function transactionRow(
  id: string,
  sequence: number,
  reason: string,
  columns: Readonly<Record<string, string | number>> = {},
): string {
  const all = {
    ...{ id: `'${id}'`, relayer_id: `'${relayer}'`, sequence, version: 7, created_at: 1, origin: "'client'" },
    ...{ from_address: `'${address}'`, to_address: `'${address}'`, value: "'1'", data: "'0x'" },
    ...{ pricing: "'speed'", speed: "'fast'", phase: "'queued'", open: 1, status: "'pending'" },
    status_reason: `'${reason.replaceAll("'", "''")}'`,
    ...columns,
  }
  return `INSERT INTO transactions (${Object.keys(all).join(', ')}) VALUES (${Object.values(all).join(', ')})`
}

function attemptRow(id: string, nonce: number, message: string): string {
  return `INSERT INTO attempts (transaction_id, nonce, position, hash, kind, revision, gas_limit, gas_price, raw, r, s, v,
    recorded_at, recorded_at_block, state, handed_at, outcome, outcome_message) VALUES ('${id}', ${nonce}, 0,
    '${hashOf(nonce)}', 'execute', 0, 21000, '2000000000', '0x02', '${hashOf(1)}', '${hashOf(1)}', 1, 2, 90, 'handed', 3,
    'unknown', '${message}')`
}

/** In flight, with one attempt. */
function flying(id: string, nonce: number, reason: string, message: string, columns = {}): readonly string[] {
  const bound = { phase: "'inFlight'", status: "'submitted'", nonce, sent_at: 2, ...columns }
  return [transactionRow(id, 100 + nonce, reason, bound), attemptRow(id, nonce, message)]
}

const cutOff = 'the process stopped while it was being sent'
const recovery = 'sent by a part of its history that this database does not hold: was it restored from an older copy?'
const silent = 'canceled; no node of the network answers: endpoint 0: refused'
const full = 'waits: the node refuses it for now, and is handed it again: txpool is full'
const over = "waits: over 0xab it needs 9 wei per gas, which the replacement's fee or gas_price_cap forbids"
const reorg = 'a reorganisation of the chain took its block back'
const canceledBy = (origin: string) => ({ status: "'canceled'", canceled_at: 3, cancel_origin: `'${origin}'` })

const first = { from: `0x${'1'.repeat(40)}`, value: 0n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } } as const
const replacedOnce = `'${JSON.stringify([payloadToRow(first)])}'`

/** With the condition, and what is told of it once that is over. */
const others: readonly (readonly [string, readonly string[], Condition | undefined, history?: string])[] = [
  ['own', [transactionRow('own', 60, over, { pricing: "'legacy'", speed: 'NULL', gas_price: "'3'" })], 'own_price'],
  ['request', flying('request', 1, silent, cutOff, canceledBy('request')), 'node_unreachable', 'canceled on request'],
  ['expiry', flying('expiry', 2, silent, cutOff, canceledBy('expiry')), 'node_unreachable', 'valid_until has passed'],
  [
    'refusal',
    flying('refusal', 3, silent, cutOff, canceledBy('refusal')),
    'node_unreachable',
    'no node takes it as it is',
  ],
  ['replaced', flying('replaced', 4, full, cutOff, { earlier: replacedOnce }), 'node_refuses', 'replaced on request'],
  // History stays what it is, and so do a sentence that no release wrote and what was told of one that ended.
  ['reopened', flying('reopened', 5, reorg, cutOff), undefined, reorg],
  ['unknown', flying('unknown', 6, 'waits, it seems', cutOff), undefined, 'waits, it seems'],
  [
    'ended',
    [transactionRow('ended', 61, silent, { phase: "'dropped'", open: 0, drop_reason: "'canceled'", ended_at: 9 })],
    undefined,
    silent,
  ],
]

test.each(earlierDatabases())(
  'sentences become data when the schema is brought up to date, on %s',
  async (_, dialect, open) => {
    await using disposal = new AsyncDisposableStack()
    const store = await open(disposal, [
      ...schemaBefore('014-waits', dialect),
      relayerRow,
      ...sentences.map(([, sentence], index) => transactionRow(`wait-${index}`, index + 1, sentence)),
      ...others.flatMap(([, rows]) => rows),
      ...flying('recovered', 20, recovery, recovery),
    ])
    const read = async (id: string) => {
      const transaction = await store.reads.transaction(relayer, id as TransactionId)
      if (!transaction) throw new Error(`${id} is gone`)
      return transaction
    }
    const waits = await Promise.all(sentences.map((_, index) => read(`wait-${index}`)))
    expect(waits.map((each) => [each.wait?.condition, statusReasonOf(each)])).toEqual(sentences)
    expect(waits.filter(({ statusReason }) => statusReason !== undefined)).toEqual([])
    // A foreign transaction that took a nonce is history, and earlier releases waited for no finality of its own. They had no
    // limit on gap fillers, no ceiling of prices, no locks of accounts, and no witnesses.
    const derived = new Set(sentences.map(([condition]) => condition))
    expect(conditions.filter((each) => !derived.has(each))).toEqual([
      'on_hold',
      'already_ordered',
      'outcome_unknown',
      'price_ceiling',
      'nonce_taken',
      'gap_unconfirmed',
      'gap_fillers_limited',
      'refused_by_all',
      'signer_unavailable',
      'account_in_use',
      'finality_stalled',
      'witnesses_contradict',
      'witness_silent',
    ])

    const rest = await Promise.all(others.map(([id]) => read(id)))
    expect(rest.map(({ id, wait, statusReason }) => [id, wait?.condition, statusReason])).toEqual(
      others.map(([id, , condition, history]) => [id, condition, history]),
    )
    const attemptsOf = async (id: string) =>
      (await store.reads.attempts(id as TransactionId)).map((each) => each.recovered)
    expect(await attemptsOf('recovered')).toEqual([true])
    expect(await attemptsOf('reopened')).toEqual([undefined])
    expect(await read('recovered')).toMatchObject({ statusReason: recovery })
  },
)
