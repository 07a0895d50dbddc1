// How a chain is made, read from real nodes: by the contracts that they have, and by two of them where there are two.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../../tooling/anvil.ts'
import { type LyingNode, startLyingNode } from '../../../tooling/lying-node.ts'
import { networkOver } from '../network-under-test.ts'

let node: Anvil
let gateway: LyingNode
beforeAll(async () => {
  node = await startAnvil({ mining: 'manual' })
  gateway = await startLyingNode(node.url)
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await node?.[Symbol.asyncDispose]()
})

const oracle = '0x420000000000000000000000000000000000000f'
const arbSys = '0x0000000000000000000000000000000000000064'
const arbOwnerPublic = '0x000000000000000000000000000000000000006b'
const contractDeployer = '0x0000000000000000000000000000000000008006'

async function setCodes(...addresses: readonly string[]): Promise<void> {
  for (const address of [oracle, arbSys, arbOwnerPublic, contractDeployer]) {
    await node.rpc('anvil_setCode', [address, addresses.includes(address) ? '0xfe' : '0x'])
  }
}

test.each([
  { at: [], make: 'none' },
  { at: [oracle], make: 'opStack' },
  { at: [arbSys, arbOwnerPublic], make: 'nitro' },
  { at: [contractDeployer], make: 'zkStack' },
  { at: [arbSys], make: 'none', why: 'one of two contracts is not enough' },
  { at: [oracle, arbSys, arbOwnerPublic], make: 'none', why: 'no chain is made in two ways' },
])('code at $at: $make $why', async ({ at, make }) => {
  await setCodes(...at)
  await using network = networkOver([node.url])
  expect(await network.chain.shownMake()).toBe(make)
})

const hex64 = (value: string) => `0x${value.padStart(64, '0')}`
/** Code that returns the word, or reverts. */
const returning = (word: string) => `0x60${word.padStart(2, '0')}60005260206000f3`

test.each([
  { code: returning('01'), collects: true },
  { code: returning('00'), collects: false },
  { code: '0x60006000fd', collects: false, why: 'an ArbOS without this function' },
  { code: returning('02'), collects: undefined, why: 'no boolean' },
  { code: '0x', collects: undefined, why: 'no such contract' },
])('code $code: collects tips: $collects $why', async ({ code, collects }) => {
  await node.rpc('anvil_setCode', [arbOwnerPublic, code])
  await using network = networkOver([node.url])
  expect(await network.chain.collectsTips()).toBe(collects)
})

test('no order by tips on the word of one of two endpoints', async () => {
  await node.rpc('anvil_setCode', [arbOwnerPublic, returning('00')])
  await using network = networkOver([node.url, gateway.url])
  gateway.lie(({ method }) => (method === 'eth_call' ? { result: hex64('1') } : undefined))
  expect(await network.chain.collectsTips()).toBeUndefined()
  gateway.repent()
  expect(await network.chain.collectsTips()).toBe(false)
})

test('what one of two endpoints shows alone is not believed, and no error counts as an absent contract', async () => {
  await setCodes()
  const before = gateway.lies()
  await using network = networkOver([node.url, gateway.url])
  gateway.lie(({ method, params }) =>
    method === 'eth_getCode' && params[0] === oracle ? { result: '0xfe' } : undefined,
  )
  expect(await network.chain.shownMake()).toBeUndefined()
  expect(gateway.lies() - before).toBe(1)
  gateway.lie(({ method }) => (method === 'eth_getCode' ? { error: { code: -32603, message: 'busy' } } : undefined))
  expect(await network.chain.shownMake()).toBeUndefined()
  gateway.repent()
  expect(await network.chain.shownMake()).toBe('none')
})
