// rescind tx get: one transaction, the verdict on its cancellation, and its attempts.

import type { Command } from 'commander'
import {
  ApiError,
  type AttemptView,
  type Client,
  type HoldView,
  type TraceView,
  type TransactionView,
} from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type Cell, ether, exactEther, exactGwei, gwei, pairs, runbookAt, table } from './format.ts'
import { plain } from './terminal.ts'
import { verdictOn, verdictPairs } from './verdict.ts'

interface Options extends RelayerOptions {
  readonly attempts?: true
}

export function addGetTransaction(tx: Command, act: Act): void {
  relayerCommand(tx, 'get', 'show a transaction, and the verdict on its cancellation')
    .argument('<id>', 'id of the transaction')
    .option('--attempts', 'list every attempt that was signed for it')
    .action(act(getTransaction))
}

async function getTransaction({ life, terminal }: Around, id: string, options: Options): Promise<Exit> {
  const { url, client, relayer } = await connectToRelayer(life, options)
  const { transaction, wait, labels } = await client.trace(relayer, id)
  const cancellation = await verdictOn(client, relayer, id)
  const hold = wait?.condition === 'on_hold' ? await holdOn(client, relayer, id) : undefined
  const attempts = options.attempts && (await client.attempts(relayer, id))
  const all = {
    ...(hold ? withPayload(transaction, hold) : transaction),
    ...defined({ wait, labels, hold, cancellation, attempts }),
  }
  const runbook = wait && runbookAt(url, wait.runbook)
  const lines = pairs([
    ...statePairs(transaction, runbook),
    // The payload and its digest are of one answer: a PUT may have come after the one before it.
    ...(hold ? approvedPairs(hold.payload) : payloadPairs(transaction)),
    ['created', transaction.created_at],
    ['sent', transaction.sent_at],
    ['confirmed', transaction.confirmed_at],
    ...labelPairs(labels),
    ...(hold ? holdPairs(hold) : []),
    ...(cancellation ? verdictPairs(cancellation) : []),
    ['lift its bound', wait?.condition === 'cost_bound' ? plain(`rescind cancel ${id} -r ${relayer}`) : undefined],
  ])
  terminal.show(options, all, () => [...lines, ...(attempts ? ['', ...attemptLines(attempts)] : [])])
  return exits.done
}

/** Without the payload of the answer before, which a PUT may have replaced. */
function withPayload(read: TransactionView, { payload }: HoldView): TransactionView {
  const { id, relayer_id, status, status_reason, created_at } = read
  const { transaction_id: _, valid_until: __, speed, ...members } = payload
  return {
    ...members,
    ...{ id, relayer_id, status, created_at },
    ...defined({ status_reason, speed: speed && { name: speed } }),
  }
}

type Pairs = readonly (readonly [name: string, value: Cell])[]

function statePairs(each: TransactionView, runbook: string | undefined): Pairs {
  return [
    ['id', each.id],
    ['relayer', each.relayer_id],
    ['status', each.status],
    ['reason', each.status_reason],
    ['what to do', runbook],
    ['nonce', each.nonce],
    ['hash', each.hash],
  ]
}

function payloadPairs(each: TransactionView): Pairs {
  return [
    ['from', each.from],
    ['to', each.to ?? 'a contract creation'],
    ['value', ether(each.value)],
    ['data', each.data === '0x' ? undefined : each.data],
    ['gas limit', each.gas_limit],
    ['gas price', gwei(each.gas_price)],
    ['max fee', gwei(each.max_fee_per_gas)],
    ['max tip', gwei(each.max_priority_fee_per_gas)],
  ]
}

/** Everything that a release approves, with all digits. */
function approvedPairs(payload: HoldView['payload']): Pairs {
  return [
    ['from', payload.from],
    ['to', payload.to ?? 'a contract creation'],
    ['value', exactEther(payload.value)],
    ['data', payload.data],
    ['gas limit', payload.gas_limit],
    ['speed', payload.speed],
    ['gas price', exactGwei(payload.gas_price)],
    ['max fee', exactGwei(payload.max_fee_per_gas)],
    ['max tip', exactGwei(payload.max_priority_fee_per_gas)],
    ['allow out of gas', payload.allow_out_of_gas && 'true'],
    ...accessListPairs(payload.access_list),
    ['expires', payload.valid_until],
  ]
}

/** One line for each address. */
function accessListPairs(list: HoldView['payload']['access_list']): Pairs {
  if (list?.length === 0) return [['access list', 'empty']]
  return (list ?? []).map(({ address, storage_keys: keys }) => [
    'access list',
    `${address} ${keys.length > 0 ? keys.join(' ') : 'without storage keys'}`,
  ])
}

function labelPairs({ external_id: externalId, tags, note }: TraceView['labels'] = {}): Pairs {
  return [
    ['external id', externalId && plain(externalId)],
    ['tags', tags && plain(tags.join(', '))],
    ['note', note && plain(note)],
  ]
}

async function holdOn(client: Client, relayer: string, id: string): Promise<HoldView | undefined> {
  try {
    return await client.hold(relayer, id)
  } catch (error) {
    // Released since.
    if (error instanceof ApiError && error.code === 'HOLD_NOT_FOUND') return undefined
    throw error
  }
}

function holdPairs({ rule, since, until, by, four_eyes, payload_digest }: HoldView): Pairs {
  return [
    ['on hold until', until ?? 'its release'],
    ['on hold since', since],
    ['by rule', rule],
    ['by key', by],
    ['payload digest', payload_digest],
    ['not released by', four_eyes?.set_by.join(', ')],
  ]
}

function attemptLines(attempts: readonly AttemptView[]): readonly string[] {
  const rows = attempts.map((each) => [
    ...[each.hash, each.kind, each.nonce, gwei(each.max_fee_per_gas ?? each.gas_price), each.state],
    each.outcome?.kind,
  ])
  return table(['ATTEMPT', 'KIND', 'NONCE', 'MAX FEE', 'STATE', 'OUTCOME'], rows)
}
