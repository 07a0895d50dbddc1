// One call reads many accounts, compared with single reads of each on real clients.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balancesAndCodesIn, jointCall, jointMax } from '../../../src/chain/accounts/joint-call.ts'
import type { Answer } from '../../../src/chain/nodes/call.ts'
import type { Address } from '../../../src/domain/ids.ts'
import { type Anvil, devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { type Hardhat, startHardhat } from '../../../tooling/hardhat.ts'

let anvil: Anvil
let hardhat: Hardhat

beforeAll(async () => {
  ;[anvil, hardhat] = await Promise.all([startAnvil({ mining: 'manual' }), startHardhat()])
})
afterAll(() => Promise.all([anvil?.stop(), hardhat?.stop()]))

const numbered = (index: number) => `0x${(0xabc_000 + index).toString(16).padStart(40, '0')}` as Address
const [plain, delegating, contract, short] = [0, 1, 2, 3].map((index) => devAccount(index).address)

describe.each([
  ['anvil', () => anvil],
  ['Hardhat', () => hardhat],
] as const)('%s', (name, node) => {
  async function reported(addresses: readonly Address[]) {
    const { method, params } = jointCall(addresses, Number(await node().rpc('eth_blockNumber')))
    return balancesAndCodesIn({ kind: 'value', value: await node().rpc(method, params) }, addresses)
  }
  const set = (what: string, address: Address | undefined, to: string) =>
    node().rpc(`${name.toLowerCase()}_set${what}`, [address, to])

  test('reads the same for each account as a single read', async () => {
    await set('Code', delegating, `0xef0100${'11'.repeat(20)}`)
    await set('Code', contract, '0x6001600255')
    await set('Code', short, '0xef')
    const most = `0x${'f'.repeat(32)}`
    await set('Balance', numbered(1), most)
    await node().mine()
    const addresses = [plain, delegating, contract, short, numbered(0), numbered(1)] as Address[]
    const alone = await Promise.all(
      addresses.map(async (address) => ({
        balance: BigInt(await node().rpc<string>('eth_getBalance', [address, 'latest'])),
        delegated: (await node().rpc<string>('eth_getCode', [address, 'latest'])).startsWith('0xef0100'),
      })),
    )
    expect(await reported(addresses)).toEqual(alone)
    expect(alone.map(({ delegated }) => delegated)).toEqual([false, true, false, false, false, false])
    expect(alone[5]?.balance).toBe(BigInt(most))
  })

  test('takes as many as there may be, within what a transaction may use', async () => {
    const addresses = Array.from({ length: jointMax }, (_, index) => numbered(index))
    expect(await reported(addresses)).toHaveLength(jointMax)
    const gas = Number(await node().rpc('eth_estimateGas', jointCall(addresses, 0).params.slice(0, 1)))
    expect(gas).toBeLessThan(2_500_000)
  })
})

test.each<[string, Answer]>([
  ['nothing', { kind: 'value', value: '0x' }],
  ['too little', { kind: 'value', value: `0x${'00'.repeat(32)}` }],
  ['too much', { kind: 'value', value: `0x${'00'.repeat(96)}` }],
  ['what is no number', { kind: 'value', value: `0x${'zz'.repeat(64)}` }],
  ['an object', { kind: 'value', value: {} }],
  ['an error', { kind: 'rpcError', code: -32000, message: 'out of gas' }],
  ['no answer', { kind: 'unknown', message: 'no answer' }],
])('%s gives no account', (_, answer) => {
  expect(balancesAndCodesIn(answer, [numbered(0), numbered(1)])).toBeUndefined()
})
