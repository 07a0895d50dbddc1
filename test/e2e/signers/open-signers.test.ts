// The factory: settings into signers that sign for the right address, without revealing a key.
import { inspect } from 'node:util'
import { recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/ops/clock.ts'
import type { Logger } from '../../../src/ops/logger.ts'
import { systemRandom } from '../../../src/ops/random.ts'
import { secret } from '../../../src/ops/secret.ts'
import { openSigners, signerContext } from '../../../src/signers/open-signers.ts'
import { startConnectProxy } from '../../../tooling/key-services/connect-proxy.ts'
import { startFakeWeb3signer } from '../../../tooling/key-services/fake-web3signer.ts'
import { servedKey } from '../../../tooling/key-services/served-key.ts'
import { eip155Key, listeningLog } from '../../signers/workplace.ts'

const contextOver = (log: Logger) => signerContext({ log, clock: systemClock, random: systemRandom() })

test.each([eip155Key, eip155Key.slice(2), eip155Key.toUpperCase().replace('0X', '0x')])(
  'a plain key opens and signs: %#',
  async (key) => {
    const { log, lines } = listeningLog()
    const signers = await openSigners([{ id: 'raw', type: 'plain', key: secret(key) }], contextOver(log))
    const signer = signers.get('raw')
    if (!signer) throw new Error('not opened')
    expect(signer.address).toBe(privateKeyToAddress(eip155Key))
    const fees = { kind: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const
    const { address } = signer
    const { raw } = await signer.sign(
      {
        chainId: 1,
        nonce: 0,
        fees,
        gasLimit: 21_000,
        to: address,
        value: 0n,
        data: '0x',
      },
      { priority: 'payload', deadline: 0 },
    )
    expect(await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })).toBe(address)
    const shown = inspect([signer, lines], { showHidden: true, depth: null })
    expect(shown).not.toMatch(/4646464646/)
    expect(lines).toHaveLength(1)
  },
)

test.each([
  ['too short', '0x46', /not 64 hexadecimal digits/],
  ['no hexadecimal', 'z'.repeat(64), /not 64 hexadecimal digits/],
  ['zero', '0'.repeat(64), /zero or not below the order/],
  ['the order itself', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', /not below the order/],
])('a key that is none is refused, unseen: %s', async (_, key, message) => {
  const { log } = listeningLog()
  const error = await openSigners([{ id: 'raw', type: 'plain', key: secret(key) }], contextOver(log)).catch(
    (reason: unknown) => reason,
  )
  expect(String(error)).toMatch(message)
  expect(String(error)).toMatch(/signer "raw"/)
  expect(inspect(error)).not.toContain(key)
})

test('a proxy is before the key services of all signers', async () => {
  await using fake = await startFakeWeb3signer()
  await using proxy = await startConnectProxy()
  const key = servedKey()
  fake.keys.push(key)
  proxy.lead('signer.internal:9000', fake.url)
  const { log } = listeningLog()
  const proxies = { http: secret(proxy.url), noProxy: [] }
  const context = signerContext({ log, clock: systemClock, random: systemRandom(), proxies })
  const settings = {
    type: 'web3signer',
    id: 'w3s',
    url: 'http://signer.internal:9000',
    publicKey: key.publicKey,
  } as const
  const signers = await openSigners([{ id: 'w3s', type: 'web3signer', settings }], context)
  expect(signers.get('w3s')?.address).toBe(key.address)
  expect(proxy.tunnels.map(({ target }) => target)).toContain('signer.internal:9000')
})
