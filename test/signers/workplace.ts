// What the tests of signers share: published keys, and unsigned transactions of every shape.
import fc from 'fast-check'
import { getAddress } from 'viem'
import { viemCurve } from '../../src/signers/curve.ts'
import type { UnsignedTransaction } from '../../src/signers/signer.ts'

export const curve = viemCurve

/** The example key of EIP-155. */
export const eip155Key = `0x${'46'.repeat(32)}` as const

const wordMax = 2n ** 256n - 1n
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const
const wei = fc.oneof(fc.constant(0n), fc.constant(1n), fc.bigInt(0n, wordMax))

const fees = fc.oneof(
  fc.record({ kind: fc.constant('legacy' as const), gasPrice: wei }),
  fc
    .record({ kind: fc.constant('eip1559' as const), maxFeePerGas: wei, maxPriorityFeePerGas: wei })
    .filter(({ maxFeePerGas, maxPriorityFeePerGas }) => maxPriorityFeePerGas <= maxFeePerGas),
)

export const unsignedTransactions: fc.Arbitrary<UnsignedTransaction> = fc
  .record({
    chainId: fc.oneof(fc.constantFrom(1, 31337, 1660990954), fc.integer({ min: 1, max: 2 ** 40 })),
    nonce: fc.oneof(fc.constantFrom(0, 127, 128, 255, 256), fc.maxSafeNat()),
    fees,
    gasLimit: fc.integer({ min: 21_000, max: 60_000_000 }),
    to: fc.option(
      fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(hex(bytes))),
      {
        nil: undefined,
      },
    ),
    value: wei,
    data: fc.oneof(
      fc.constant('0x' as const),
      fc.uint8Array({ maxLength: 100 }).map(hex),
      fc.uint8Array({ minLength: 300, maxLength: 3000 }).map(hex),
    ),
    accessList: fc.option(
      fc.array(
        fc.record({
          address: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(hex(bytes))),
          storageKeys: fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hex), { maxLength: 3 }),
        }),
        { maxLength: 3 },
      ),
      { nil: undefined },
    ),
  })
  .map(({ to, accessList, ...unsigned }) => ({
    ...unsigned,
    ...(to !== undefined && { to }),
    ...(accessList && { accessList }),
  }))

export const keys = fc
  .bigInt(1n, 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140n)
  .map((key) => Uint8Array.from(Buffer.from(key.toString(16).padStart(64, '0'), 'hex')))

interface LogLine {
  readonly facts: object
  readonly message: string
}

export function listeningLog() {
  const warnings: LogLine[] = []
  const lines: LogLine[] = []
  const log = {
    debug: (facts: object, message: string) => void lines.push({ facts, message }),
    info: (facts: object, message: string) => void lines.push({ facts, message }),
    warn: (facts: object, message: string) => void warnings.push({ facts, message }),
    error: (facts: object, message: string) => void lines.push({ facts, message }),
    isLevelEnabled: () => true,
    child: () => log,
  }
  return { log, lines, warnings }
}
