// Makes the token of an API key. It is shown once; only its digest is stored.
import { hash } from 'node:crypto'
import type { Random } from '../../ops/random.ts'

/** Makes a leaked key recognizable to people, log filters and repository scanners. */
const prefix = 'rescind_'
const hintChars = prefix.length + 4
const shape = /^rescind_[A-Za-z0-9_-]{43}$/

export function newToken(random: Random): { token: string; digest: string; hint: string } {
  const token = `${prefix}${Buffer.from(random.bytes(32)).toString('base64url')}`
  return { token, digest: digestOf(token), hint: token.slice(0, hintChars) }
}

/** Undefined for a token of another shape than ours. */
export function digestOfToken(token: string): string | undefined {
  return shape.test(token) ? digestOf(token) : undefined
}

/**
 * A fast digest without salt is right here: a slow one protects passwords that people choose, and 256 random bits can't
 * be searched. A comparison of digests leaks nothing either, since no attacker can choose how a digest begins.
 */
function digestOf(token: string): string {
  return hash('sha256', token)
}
