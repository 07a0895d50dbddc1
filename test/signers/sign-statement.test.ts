// Messages and typed data: what viem would sign, on both curves, and never anything that a node would mine.
import fc from 'fast-check'
import {
  concatHex,
  domainSeparator,
  type Hex,
  hashStruct,
  recoverMessageAddress,
  recoverTypedDataAddress,
  serializeSignature,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Signature } from '../../src/domain/attempt.ts'
import { openCurve, viemCurve } from '../../src/signers/curve.ts'
import { signStatement } from '../../src/signers/sign-statement.ts'
import { eip155Key, keys, listeningLog } from './workplace.ts'

const key = Buffer.from(eip155Key.slice(2), 'hex')
const account = privateKeyToAccount(eip155Key)
const serialized = ({ r, s, v }: Signature) => serializeSignature({ r, s, v: BigInt(v) })

test('any bytes are signed as viem signs them, and the signer is recovered', async () => {
  const { log } = listeningLog()
  const native = await openCurve(log)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), keys, async (bytes, someKey) => {
      const signer = privateKeyToAccount(`0x${Buffer.from(someKey).toString('hex')}`)
      const raw: Hex = `0x${Buffer.from(bytes).toString('hex')}`
      const signature = await signStatement({ kind: 'message', bytes: raw }, someKey, native)
      expect(serialized(signature)).toBe(await signer.signMessage({ message: { raw } }))
      expect(await recoverMessageAddress({ message: { raw }, signature: serialized(signature) })).toBe(signer.address)
    }),
    { numRuns: 60 },
  )
})

const mail = {
  domain: { name: 'Mail', version: '1', chainId: 1, verifyingContract: `0x${'cc'.repeat(20)}` },
  types: { Mail: [{ name: 'contents', type: 'string' }] },
  primaryType: 'Mail',
  message: { contents: 'hello' },
} as const

test('typed data by its two hashes is what viem signs whole', async () => {
  const statement = {
    kind: 'typedData',
    domainSeparator: domainSeparator({ domain: mail.domain }),
    structHash: hashStruct({ data: mail.message, primaryType: 'Mail', types: { Mail: [...mail.types.Mail] } }),
  } as const
  const signature = serialized(await signStatement(statement, key, viemCurve))
  expect(signature).toBe(await account.signTypedData(mail))
  expect(await recoverTypedDataAddress({ ...mail, signature })).toBe(account.address)
})

test('bytes that are a transaction, or the front of typed data, are signed as a message like any other', async () => {
  const raw = concatHex(['0x1901', `0x${'11'.repeat(64)}`])
  for (const bytes of [raw, '0x02c0', '0x05c0', '0x'] as Hex[]) {
    const signature = serialized(await signStatement({ kind: 'message', bytes }, key, viemCurve))
    expect(signature).toBe(await account.signMessage({ message: { raw: bytes } }))
  }
})
