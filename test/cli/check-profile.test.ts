// `rescind check` says what the profile of a network rests on, and what to set where nothing shows it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { startAnvil } from '../../tooling/anvil.ts'
import { amsterdamRules, startGasNode } from '../../tooling/gas-node.ts'
import { env, rightFile } from '../config/workplace.ts'

async function foundOf(wanted: string, url: string, network: object) {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-profile-'))
  try {
    await mkdir(join(directory, 'config'))
    const networks = [{ network: 'own', chain_id: 4_242, rpc_urls: [url], ...network }]
    const file = { ...rightFile(), relayers: [], networks }
    await writeFile(join(directory, 'config/config.json'), JSON.stringify(file))
    const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const around = { env, directory, stop: new AbortController().signal, stdout, stderr, stdin }
    await run(['check', '--all-networks', '--json'], around)
    stdout.end()
    const findings: { check: string; text: string }[] = JSON.parse(await text(stdout))
    return findings.find(({ check }) => check === wanted)
  } finally {
    await rm(directory, { recursive: true })
  }
}

const profileOf = (url: string, network: object) => foundOf('profile', url, network)

test('a chain that nothing says more of is a warning with the fix, and what it shows or the file says is none', async () => {
  await using node = await startAnvil({ mining: 'manual', chainId: 4_242 })
  expect(await profileOf(node.url, {})).toMatchObject({
    level: 'warning',
    text: expect.stringMatching(/^as Ethereum's, since nothing says .* set pool to public/),
  })
  expect(await profileOf(node.url, { profile: { pool: 'public' } })).toMatchObject({
    level: 'ok',
    text: "as Ethereum's",
  })
  expect(await profileOf(node.url, { tags: ['rollup'] })).toMatchObject({ level: 'ok', text: 'by the tags' })
  for (const end of ['64', '6b']) await node.rpc('anvil_setCode', [`0x${end.padStart(40, '0')}`, '0xfe'])
  expect(await profileOf(node.url, {})).toMatchObject({ level: 'ok', text: 'by contracts of the chain: nitro' })
})

test('the figures of gas are those that the node shows, unless the profile names them', async () => {
  await using node = await startGasNode([])
  const textOf = async (profile: object) => (await foundOf('gas rules', node.url, { chain_id: 31_337, profile }))?.text
  expect(await textOf({})).toBe('base 21000, floor 10; new_account not read, so nothing is refused by it')
  node.fork(amsterdamRules)
  node.create('0x0000000000000000000000000000000000000001')
  expect(await textOf({})).toBe('base 12000, floor 64, new_account 183600')
  expect(await textOf({ gas_rules: { base: 21_000, new_account: 7 } })).toBe('base 21000, floor 64, new_account 7')
  node.refuse(['eth_call', 'eth_estimateGas'])
  expect(await textOf({})).toBe('base, floor, new_account not read, so nothing is refused by it')
  expect(await textOf({ floor_gas: false })).toBeUndefined()
})
