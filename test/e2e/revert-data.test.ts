// What reverted transactions returned: by a trace of a real node, by calls where it refuses traces, bounded, and kept across restarts.
import { encodeErrorResult, type Hex, parseAbiItem } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../tooling/anvil.ts'
import { type LyingNode, startLyingNode } from '../../tooling/lying-node.ts'
import { mineUntil, reached } from './support/play.ts'
import { type Stage, stageOn } from './support/stage.ts'

const insufficient = {
  type: 'error',
  name: 'Insufficient',
  inputs: [
    { name: 'available', type: 'uint256' },
    {
      name: 'of',
      type: 'tuple',
      components: [
        { name: 'owner', type: 'address' },
        { name: 'note', type: 'string' },
      ],
    },
  ],
} as const
const owner = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

let stage: Stage<Anvil>
let line: LyingNode
beforeAll(async () => {
  const node = await startAnvil({ mining: 'manual' })
  line = await startLyingNode(node.url)
  stage = await stageOn(node, {
    endpoints: async () => [{ url: line.url, weight: 1 }],
    relayers: {
      named: { include_revert_data: true, revert_abi: [insufficient] },
      unnamed: { include_revert_data: true },
      without: {},
    },
  })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await line?.[Symbol.asyncDispose]()
})

/** A creation that reverts with this data. */
function revertingWith(data: Hex): Hex {
  const bytes = (data.length - 2) / 2
  const size = bytes.toString(16).padStart(6, '0')
  // PUSH3 size, PUSH1 16, PUSH1 0, CODECOPY, PUSH3 size, PUSH1 0, REVERT
  return `0x62${size}6010600039${`62${size}6000fd`}${data.slice(2)}`
}

async function fail(relayer: string, data: Hex, gas = 8_000_000) {
  const sender = stage.sender(relayer)
  const { id } = await stage.client.send(relayer, {
    value: '0',
    data: revertingWith(data),
    gas_limit: gas,
    speed: 'average',
  })
  const payment = { sender, id, to: '', value: 0n }
  await mineUntil(stage, 'a failure', async () => (await stage.client.get(relayer, id)).status === 'failed')
  const { status_reason: reason } = await reached(stage, payment, 'failed')
  return { id, reason, ...(await revertOf(relayer, id)) }
}

async function revertOf(relayer: string, id: string) {
  const { status, body, headers } = await stage.client.request('GET', `/relayers/${relayer}/transactions/${id}/revert`)
  return { status, code: headers['relayer-error-code'], revert: (body as { readonly data: object }).data }
}

const text = (words: string) => encodeErrorResult({ abi: [parseAbiItem('error Error(string text)')], args: [words] })
const custom = encodeErrorResult({ abi: [insufficient], args: [5n, { owner, note: 'poor' }] })
const decoded = {
  error: 'Insufficient',
  signature: 'Insufficient(uint256,(address,string))',
  arguments: [
    { name: 'available', type: 'uint256', value: '5' },
    { name: 'of', type: 'tuple', value: JSON.stringify({ owner, note: 'poor' }) },
  ],
}
const head = `Insufficient(available: 5, of: ${JSON.stringify({ owner, note: 'poor' })})`

test('by a trace, decoded by the fragment of the policy', async () => {
  line.repent()
  const { id, reason, revert } = await fail('named', custom)
  expect(revert).toEqual({
    hash: (await stage.client.get('named', id)).hash,
    block_number: expect.any(Number),
    block_hash: expect.stringMatching(/^0x/),
    ...{ data: custom, truncated: false, decoded, source: 'trace', endpoint: 0, host: new URL(line.url).host },
  })
  expect(reason).toBe(`execution reverted: ${head}`)
  await stage.service.kill9()
  await stage.service.restart()
  expect((await revertOf('named', id)).revert).toEqual(revert)
})

test('by a call, where the node refuses traces', async () => {
  line.withhold(({ method }) =>
    method === 'debug_traceTransaction'
      ? { error: { code: -32601, message: 'the method debug_traceTransaction does not exist/is not available' } }
      : undefined,
  )
  const { reason, revert } = await fail('named', custom)
  expect(revert).toMatchObject({ data: custom, decoded, source: 'call_before_block' })
  expect(reason).toBe(`execution reverted: ${head}`)
})

test('without a fragment the selector is all that a reason has, and the data stays', async () => {
  line.repent()
  const { reason, revert } = await fail('unnamed', custom)
  expect(revert).toMatchObject({ data: custom, source: 'trace' })
  expect(revert).not.toHaveProperty('decoded')
  expect(reason).toBe(`execution reverted: custom error ${custom.slice(0, 10)}`)
})

test('Error and Panic need no fragment', async () => {
  line.repent()
  const one = await fail('unnamed', text('not today'))
  expect(one.revert).toMatchObject({
    decoded: { error: 'Error', signature: 'Error(string)', arguments: [{ type: 'string', value: 'not today' }] },
  })
  expect(one.reason).toBe('execution reverted: not today')
  const panic = encodeErrorResult({ abi: [parseAbiItem('error Panic(uint256 code)')], args: [17n] })
  const other = await fail('unnamed', panic)
  expect(other.revert).toMatchObject({ decoded: { error: 'Panic', arguments: [{ type: 'uint256', value: '17' }] } })
  expect(other.reason).toBe('execution reverted: panic 0x11: arithmetic overflow or underflow')
})

test('invented data is shown as what one endpoint said, and ends nothing else', async () => {
  const output = text('an invention')
  line.lie(({ method }, honest) =>
    method === 'debug_traceTransaction' && 'result' in honest
      ? { result: { ...(honest.result as object), output } }
      : undefined,
  )
  const { reason, revert } = await fail('unnamed', custom)
  expect(line.lies()).toBeGreaterThan(0)
  expect(revert).toMatchObject({ data: output, endpoint: 0, host: new URL(line.url).host })
  expect(reason).toBe('execution reverted: an invention')
})

test('without the policy the reason stays as it was, and nothing is kept or traced', async () => {
  line.repent()
  const before = line.calls('debug_traceTransaction').length
  const { reason, status, code } = await fail('without', custom)
  expect(reason).toBe(`execution reverted: custom error ${custom.slice(0, 10)}`)
  expect([status, code]).toEqual([404, 'REVERT_NOT_FOUND'])
  expect(line.calls('debug_traceTransaction')).toHaveLength(before)
})

test('a node that never answers a trace delays the failure, and nothing else', async () => {
  line.bend(({ calls }) =>
    calls.some(({ method }) => method.startsWith('debug_')) ? { do: 'ignore' } : { do: 'forward' },
  )
  const before = line.calls('debug_traceTransaction').length
  const failing = fail('named', custom)
  const { id } = await stage.client.send('unnamed', { to: owner, value: '1', gas_limit: 21_000, speed: 'average' })
  await mineUntil(stage, 'a success', async () => (await stage.client.get('unnamed', id)).status === 'confirmed')
  const { status, reason } = await failing
  // It is not waited for a second time.
  expect(line.calls('debug_traceTransaction')).toHaveLength(before + 1)
  expect(status).toBe(404)
  expect(reason).toMatch(/^execution reverted/)
})
