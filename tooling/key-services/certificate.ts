// Certificates for servers and clients on loopback, made anew for each test: none in the repository can end.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { der, integer } from './served-key.ts'

interface Certificate {
  /** Both in PEM. */
  readonly key: string
  readonly cert: string
}

interface Authority extends Certificate {
  /** For 127.0.0.1 and localhost, and for clients. */
  issue(name: string): Certificate
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, Buffer.concat(parts))
const bits = (content: Uint8Array) => der(0x03, Buffer.concat([Buffer.from([0]), content]))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

/** A root of its own (RFC 5280). */
export function certificateAuthority(): Authority {
  const root = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))), true)
  const signed = certify('fake root', root.publicKey, 'fake root', root.privateKey, isAuthority)
  return {
    ...pem(root.privateKey, signed),
    issue(name) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const localhost = der(0x82, Buffer.from('localhost'))
      const address = der(0x87, Buffer.from([127, 0, 0, 1]))
      const names = extension('551d11', sequence(localhost, address), false)
      return pem(pair.privateKey, certify(name, pair.publicKey, 'fake root', root.privateKey, names))
    },
  }
}

function certify(subject: string, key: KeyObject, issuer: string, by: KeyObject, given: Buffer): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' })
  const serial = integer(createHash('sha256').update(spki).digest().subarray(0, 8))
  const valid = sequence(time(Date.now() - 86_400_000), time(Date.now() + 86_400_000))
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    serial,
    ecdsaWithSha256,
    named(issuer),
    valid,
    named(subject),
    spki,
    der(0xa3, sequence(given)),
  )
  return sequence(body, ecdsaWithSha256, bits(sign('sha256', body, by)))
}

function named(name: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))
}

function time(at: number): Buffer {
  return der(0x18, Buffer.from(new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')))
}

function extension(id: string, value: Uint8Array, isCritical: boolean): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : []
  return sequence(oid(id), ...critical, der(0x04, value))
}

function pem(key: KeyObject, certificate: Buffer): Certificate {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
