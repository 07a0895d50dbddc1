// A balance for display.
import { expect, test } from 'vitest'
import { ChainUnavailable } from '../../../src/chain/chain.ts'
import { devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { startRpcServer } from '../../../tooling/rpc-server.ts'
import { networkOver } from '../network-under-test.ts'

test('a balance is read by one call, and where no node answers the read fails', async () => {
  await using anvil = await startAnvil({ mining: 'manual' })
  const { address } = devAccount(3)
  await anvil.rpc('anvil_setBalance', [address, '0x123'])
  await using proxy = await startRpcServer({ forwardTo: anvil.url })
  await using network = networkOver([proxy.url])
  expect(await network.chain.balance(address)).toBe(0x123n)
  expect([network.count('eth_call'), network.count('eth_getBalance')]).toEqual([0, 1])
  proxy.react({ do: 'drop' })
  await expect(network.chain.balance(address)).rejects.toThrow(ChainUnavailable)
})
