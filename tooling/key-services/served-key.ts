// A key as a key service holds it: every second signature has a high s, as those of real services do.
import { createECDH, createPrivateKey } from 'node:crypto'
import { type Address, type Hex, hexToBytes, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign } from 'viem/accounts'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export interface ServedKey {
  readonly privateKey: Hex
  /** 65 bytes, uncompressed. */
  readonly publicKey: Hex
  readonly address: Address
  /** SubjectPublicKeyInfo, in DER. */
  readonly spki: Buffer
  signDer(digest: Uint8Array): Promise<Buffer>
  /** r‖s. */
  signCompact(digest: Uint8Array): Promise<Buffer>
}

export function servedKey(privateKey: Hex = generatePrivateKey()): ServedKey {
  const { publicKey, address } = privateKeyToAccount(privateKey)
  let isHigh = false
  async function signCompact(digest: Uint8Array): Promise<Buffer> {
    const { r, s } = await sign({ hash: `0x${Buffer.from(digest).toString('hex')}`, privateKey })
    isHigh = !isHigh
    const given = isHigh ? order - BigInt(s) : BigInt(s)
    return Buffer.concat([hexToBytes(r, { size: 32 }), hexToBytes(numberToHex(given, { size: 32 }))])
  }
  return {
    privateKey,
    publicKey,
    address,
    spki: Buffer.from(`3056301006072a8648ce3d020106052b8104000a034200${publicKey.slice(2)}`, 'hex'),
    signCompact,
    async signDer(digest) {
      const compact = await signCompact(digest)
      return der(0x30, Buffer.concat([integer(compact.subarray(0, 32)), integer(compact.subarray(32))]))
    },
  }
}

/** One element of DER, up to 64 KiB. */
export function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** An unsigned number as the shortest INTEGER. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const shortest = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first))
  return der(0x02, (shortest[0] ?? 0) >= 128 ? Buffer.concat([Buffer.from([0]), shortest]) : shortest)
}

/** Of secp256k1, as PKCS #8 in PEM. */
export function pemOf(key: Hex): string {
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(key.slice(2), 'hex')
  const point = pair.getPublicKey()
  const [d = '', x = '', y = ''] = [Buffer.from(key.slice(2), 'hex'), point.subarray(1, 33), point.subarray(33)].map(
    (word) => word.toString('base64url'),
  )
  const jwk = { kty: 'EC', crv: 'secp256k1', d, x, y }
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString()
}
