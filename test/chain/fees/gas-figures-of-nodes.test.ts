// The prices of gas that forks change, as real nodes show them: each in its own words.
import { expect, test } from 'vitest'
import { osakaRules } from '../../../src/domain/gas-figures.ts'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import { devAccount, startAnvil } from '../../../tooling/anvil.ts'
import { startHardhat } from '../../../tooling/hardhat.ts'
import { inquiryOf, networkOver } from '../network-under-test.ts'

async function shownBy(url: string) {
  await using network = networkOver([url], { profile: ethereumProfile })
  return (await network.chain.observe(inquiryOf(devAccount(0).address))).gasFigures
}

test('anvil has the rules of before', async () => {
  await using node = await startAnvil({ mining: 'manual' })
  expect(await shownBy(node.url)).toEqual(osakaRules)
})

test('Hardhat has the rules of before', async () => {
  await using node = await startHardhat()
  expect(await shownBy(node.url)).toEqual(osakaRules)
})

test("Hardhat's amsterdam has the floor of the fork, and the base of before", async () => {
  await using node = await startHardhat({ hardfork: 'amsterdam' })
  expect(await shownBy(node.url)).toMatchObject({ base: 21_000, floor: 64 })
})
