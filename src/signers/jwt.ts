// JSON Web Tokens that we sign for one request (RFC 7519).
import { type KeyObject, sign } from 'node:crypto'

/** `EdDSA` with a key of Ed25519, `ES256` with one of P-256 (RFC 7518 §3.4, RFC 8037). */
export function jwt(algorithm: 'EdDSA' | 'ES256', header: object, claims: object, key: KeyObject): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const text = `${part({ alg: algorithm, typ: 'JWT', ...header })}.${part(claims)}`
  const hash = algorithm === 'EdDSA' ? null : 'sha256'
  return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
