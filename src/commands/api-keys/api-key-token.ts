// The key itself: made once, shown once, and known afterwards by its digest alone.
import { hash } from 'node:crypto'
import type { Random } from '../../ops/random.ts'

/** So that people, logs' filters and scanners of repositories know one when they see one. */
const prefix = 'rescind_'
const hintChars = prefix.length + 4
const shape = /^rescind_[A-Za-z0-9_-]{43}$/

export function newToken(random: Random): { token: string; digest: string; hint: string } {
  const token = `${prefix}${Buffer.from(random.bytes(32)).toString('base64url')}`
  return { token, digest: digestOf(token), hint: token.slice(0, hintChars) }
}

/** Undefined for what can't be one of ours, whatever it is. */
export function digestOfToken(token: string): string | undefined {
  return shape.test(token) ? digestOf(token) : undefined
}

/**
 * A fast digest without salt is right here: it slows a search down for what people choose, and nobody searches 256 random
 * bits. Nor does a comparison of digests leak anything: nobody can choose what a digest begins with.
 */
function digestOf(token: string): string {
  return hash('sha256', token)
}
