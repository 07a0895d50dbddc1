// The formats of the OpenAPI document that its readers need: a check of texts, and examples.
import { ECDH } from 'node:crypto'
import fc from 'fast-check'
import * as Address from 'ox/Address'

interface Format {
  readonly has: (text: string) => boolean
  readonly texts: fc.Arbitrary<string>
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function onCurve(key: string): boolean {
  const hex = key.replace(/^0x/, '')
  try {
    ECDH.convertKey(hex.length === 128 ? `04${hex}` : hex, 'secp256k1', 'hex', 'hex', 'compressed')
    return true
  } catch {
    return false
  }
}

const loopback = fc.constantFrom('http://127.0.0.1:1', 'https://127.0.0.1:1', 'HTTP://127.0.0.1:1')
const generator = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

const dayMs = 86_400_000

export const ownFormats: Readonly<Record<string, Format>> = {
  'eip55-address': {
    has: (text) => {
      if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return false
      const digits = text.slice(2)
      const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
      return isOneCase || Address.checksum(`0x${digits}`) === text
    },
    // In mixed case nearly none has the checksum.
    texts: fc.stringMatching(/^0x[0-9a-f]{40}$/),
  },
  'http-url': {
    has: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    // No test calls another machine.
    texts: fc.tuple(loopback, fc.webPath()).map((parts) => parts.join('')),
  },
  'date-time-within-a-year': {
    has: (text) => /^\d{4}-\d\d-\d\dT/.test(text) && Date.parse(text) <= Date.now() + 365 * dayMs,
    texts: fc.integer({ min: 1, max: 364 }).map((days) => new Date(Date.now() + days * dayMs).toISOString()),
  },
  uint256: {
    has: (text) => /^\d*$/.test(text) && BigInt(text) < 2n ** 256n,
    texts: fc.bigInt(0n, 2n ** 256n - 1n).map(String),
  },
  ...Object.fromEntries(
    [64, 128, 512].map((bytes) => [
      `text-of-${bytes}-bytes`,
      {
        has: (text: string) =>
          text !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= bytes,
        texts: fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: bytes / 16 })
          .filter((text) => !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= bytes && text.isWellFormed()),
      },
    ]),
  ),
  'secp256k1-private-key': {
    has: (text) => {
      const digits = text.replace(/^0x/, '')
      const key = /^[0-9a-fA-F]+$/.test(digits) ? BigInt(`0x${digits}`) : 0n
      return key > 0n && key < order
    },
    texts: fc.bigInt(1n, order - 1n).map((key) => key.toString(16).padStart(64, '0')),
  },
  'secp256k1-public-key': { has: onCurve, texts: fc.constantFrom(generator, `0x${generator}`) },
}
