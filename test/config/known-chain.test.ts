// One definition is read by its file's name: that holds for every chain on viem's list, or this fails.

import * as chains from 'viem/chains'
import { expect, test } from 'vitest'
import { knownChain } from '../../src/config/known-chain.ts'

test('the names that people use are found with the id of the list', async () => {
  const listed = Object.entries(chains as unknown as Record<string, { id?: number }>)
  const found = await Promise.all(listed.map(async ([name]) => [name, (await knownChain(name))?.chainId] as const))
  const differing = found.filter(([name, chainId]) => chainId !== undefined && chainId !== byName(name)?.id)
  // Another chain had this name before; it ended in 2024.
  expect(differing).toEqual([['polygonZkEvmTestnet', 2442]])
  const missing = found.filter(([name, chainId]) => chainId === undefined && byName(name)?.id !== undefined)
  // Some 37 are exported from a file of another name; the message that asks for their id is good enough for them.
  expect(missing.length).toBeLessThan(40)
  const people = ['mainnet', 'sepolia', 'holesky', 'hoodi', 'base', 'optimism', 'arbitrum', 'polygon', 'bsc', 'gnosis']
  for (const name of people) expect(await knownChain(name)).toMatchObject({ chainId: byName(name)?.id })
})

test.each(['localhost', 'nowhere', '', '../../mainnet', 'constructor'])('"%s" is in no list', async (name) => {
  expect(await knownChain(name)).toBeUndefined()
})

function byName(name: string): { id?: number } | undefined {
  return (chains as unknown as Record<string, { id?: number }>)[name]
}
