// Transfers, cancellations and payloads with data across a fork that changes the prices of gas, both ways: on a node that answers and
// executes by the rules of either side.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TransactionView, until } from '../../tooling/client.ts'
import { devAccount } from '../../tooling/dev-accounts.ts'
import { amsterdamRules, type GasNode, osakaRules, startGasNode } from '../../tooling/gas-node.ts'
import { type Stage, stageOn } from './support/stage.ts'

const friend = devAccount(9).address
const relayers = ['figures', 'receivers', 'run', 'back', 'tight'] as const
let stage: Stage<GasNode>
let made = 0

beforeAll(async () => {
  const node = await startGasNode(relayers.map((_, index) => devAccount(index).address))
  node.create(friend)
  stage = await stageOn(node, { relayers: Object.fromEntries(relayers.map((id) => [id, {}])), averageBlocktimeMs: 50 })
})
afterAll(() => stage?.[Symbol.asyncDispose]())
beforeEach(async () => {
  await forkTo(osakaRules)
})

const figuresOf = async () => {
  const { body } = await stage.client.request('GET', '/networks/evm:localhost')
  return (body as { data: { gas_rules: Record<string, number> } }).data.gas_rules
}

/** Until the service has read them. */
async function forkTo(rules: typeof osakaRules | typeof amsterdamRules): Promise<void> {
  stage.node.fork(rules)
  await until(
    async () => {
      await stage.node.mine()
      // It reads the chain, as a step with work does.
      await stage.client.request('GET', '/relayers/figures/transactions/pending/cancellation-preview')
      const { base, floor, new_account: newAccount } = await figuresOf()
      return base === rules.base && floor === rules.floor && newAccount === rules.newAccount
    },
    { what: () => `the figures ${JSON.stringify(rules)}` },
  )
}

const isOver = ({ status }: TransactionView) => ['confirmed', 'failed', 'canceled'].includes(status)

async function settled(relayer: string, ids: readonly string[]): Promise<readonly TransactionView[]> {
  let views: readonly TransactionView[] = []
  await until(
    async () => {
      await stage.node.mine()
      views = await Promise.all(ids.map((id) => stage.client.get(relayer, id)))
      return views.every(isOver)
    },
    { what: () => JSON.stringify(views.filter((view) => !isOver(view))) },
  )
  return views
}

function freshReceiver(): string {
  made += 1
  return `0x${made.toString(16).padStart(4, '0')}${'ab'.repeat(18)}`
}

interface Row {
  readonly what: string
  readonly body: { readonly to?: string; readonly value: string; readonly data?: string }
  readonly osaka: number
  readonly amsterdam: number
}

const own = devAccount(0).address
const bytes = (count: number, byte: string) => `0x${byte.repeat(count)}`
const table: readonly Row[] = [
  { what: 'to itself', body: { to: own, value: '0' }, osaka: 21_000, amsterdam: 12_000 },
  { what: 'a value to itself', body: { to: own, value: '7' }, osaka: 21_000, amsterdam: 12_000 },
  { what: 'to another account', body: { to: friend, value: '0' }, osaka: 21_000, amsterdam: 15_000 },
  { what: 'a value to another account', body: { to: friend, value: '7' }, osaka: 21_000, amsterdam: 21_000 },
  {
    what: '2,000 bytes of 0xff',
    body: { to: friend, value: '0', data: bytes(2_000, 'ff') },
    osaka: 101_000,
    amsterdam: 143_000,
  },
  {
    what: '2,000 bytes of 0x00',
    body: { to: friend, value: '0', data: bytes(2_000, '00') },
    osaka: 41_000,
    amsterdam: 143_000,
  },
]

test.each([
  ['osaka', osakaRules],
  ['amsterdam', amsterdamRules],
] as const)(
  'with the rules of %s each payload is mined with the least gas, and refused with one less',
  async (fork, rules) => {
    await forkTo(rules)
    const ids: string[] = []
    for (const { body, [fork]: gas } of table) {
      const refused = await stage.client.request('POST', '/relayers/figures/transactions', {
        body: { ...body, gas_limit: gas - 1 },
      })
      const reported = (refused.body as { message: string }).message
      expect(refused.status).toBe(400)
      if (gas > 12_000)
        expect(reported).toContain(
          `, ${gas} (by base ${rules.base}, floor ${rules.floor}, new_account ${rules.newAccount}`,
        )
      ids.push((await stage.client.send('figures', { ...body, gas_limit: gas })).id)
      // Without a named limit the node's estimate is signed.
      ids.push((await stage.client.send('figures', body)).id)
    }
    const views = await settled('figures', ids)
    expect(views.map(({ status }) => status)).toEqual(views.map(() => 'confirmed'))
    const used = views.map(({ hash = '' }) => stage.node.minedOf(hash)?.gasUsed)
    expect(used).toEqual(table.flatMap(({ [fork]: gas }) => [gas, gas]))
  },
)

test('a value to an account that does not exist fails before it is signed, unless its limit pays for it, or the client insists', async () => {
  const body = { value: '5', gas_limit: 21_000 }
  const created = freshReceiver()
  const before = await stage.client.send('receivers', { ...body, to: created })
  expect((await settled('receivers', [before.id]))[0]?.status).toBe('confirmed')
  await forkTo(amsterdamRules)
  const receiver = freshReceiver()
  const refused = await stage.client.send('receivers', { ...body, to: receiver })
  const existing = await stage.client.send('receivers', { ...body, to: created })
  const paid = await stage.client.send('receivers', { ...body, to: freshReceiver(), gas_limit: 204_600 })
  const estimated = await stage.client.send('receivers', { value: '5', to: freshReceiver() })
  const insists = await stage.client.send('receivers', { ...body, to: freshReceiver(), allow_out_of_gas: true })
  const views = await settled('receivers', [refused.id, existing.id, paid.id, estimated.id, insists.id])
  expect(views.map(({ status }) => status)).toEqual(['failed', 'confirmed', 'confirmed', 'confirmed', 'failed'])
  expect(views[0]).not.toHaveProperty('nonce')
  expect(views[0]?.status_reason).toMatch(
    /^its receiver 0x\S+ did not exist at block \d+, and its gas_limit 21000 does not pay for a new account: about 204600 is expected, 183600 of it for the account/,
  )
  expect(views[4]?.status_reason).toBe('out of gas: it used all of its gas_limit, 21000')
  expect(stage.node.balance(receiver)).toBe(0n)
  // One that a payload ahead creates counts as existing.
  const next = freshReceiver()
  const first = await stage.client.send('receivers', { value: '5', to: next, gas_limit: 204_600 })
  const second = await stage.client.send('receivers', { ...body, to: next })
  expect((await settled('receivers', [first.id, second.id])).map(({ status }) => status)).toEqual([
    'confirmed',
    'confirmed',
  ])
})

test.each([
  ['to Amsterdam', 'run', amsterdamRules],
  ['and back', 'back', osakaRules],
] as const)(
  '50 transfers and 20 cancellations run across a change of the rules, %s: no gas error',
  async (_, relayer, rules) => {
    if (rules === osakaRules) await forkTo(amsterdamRules)
    const sent: string[] = []
    const canceled: string[] = []
    for (let count = 0; count < 50; count++) {
      if (count === 20) stage.node.fork(rules)
      if (count === 30 && rules === osakaRules) stage.node.reorganize(2)
      const { id } = await stage.client.send(relayer, { to: friend, value: '1' })
      if (count % 5 < 2) {
        const answer = await stage.client.request('DELETE', `/relayers/${relayer}/transactions/${id}`)
        if (answer.status === 200) canceled.push(id)
      }
      sent.push(id)
      if (count % 4 === 0) await stage.node.mine()
    }
    expect(canceled.length).toBeGreaterThanOrEqual(15)
    const views = await settled(relayer, sent)
    const wrong = views.filter(
      ({ id, status }) => status !== 'confirmed' && !(status === 'canceled' && canceled.includes(id)),
    )
    expect(wrong).toEqual([])
    const sender = stage.sender(relayer).address.toLowerCase()
    expect(stage.node.all().filter(({ from, succeeded }) => from === sender && !succeeded)).toEqual([])
    const logs = stage.service.logs()
    expect(logs).not.toMatch(/intrinsic gas too low|insufficient gas for floor/)
  },
)

test('a payload in flight below a new floor is signed anew with more gas, at the same nonce', async () => {
  const body = { to: friend, value: '0', data: bytes(2_000, '00') }
  // Below the base fee, so it waits.
  const { id } = await stage.client.send('tight', body)
  await until(async () => (await stage.client.get('tight', id)).status === 'submitted', { what: () => 'the broadcast' })
  stage.node.fork(amsterdamRules)
  const [view] = await settled('tight', [id])
  expect([view?.status, view?.nonce]).toEqual(['confirmed', 0])
  const mined = stage.node.minedOf(view?.hash ?? '')
  expect(mined?.gasUsed).toBe(143_000)
  expect(mined?.gas).toBeGreaterThanOrEqual(143_000)
})
