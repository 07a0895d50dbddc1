// Seals the ids on a stream whose key is bound to relayers. A plain id counts the events of all relayers, so that the
// difference of two of them would show how much others did between them.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Random } from '../../ops/random.ts'
import type { Secret } from '../../ops/secret.ts'

/** A place in the outbox that a reader names. */
export interface EventPlace {
  readonly id: number
  /** The time of the event with that id; absent for a place that is no event. */
  readonly occurredAt?: number
  /** Whether the service wrote it: nobody else can name a place so. */
  readonly isSealed: boolean
}

export interface IdSeal {
  /** The sealed id of an event: the same text at each delivery. */
  event(event: { readonly id: number; readonly occurredAt: number }): string
  /** Another text each time, so that two of them do not show whether the position moved. */
  position(id: number): string
  /** The place that a text names; undefined for a text of another form. */
  open(text: string): EventPlace | undefined
}

/** The sealed form: one block of AES, as base64url. */
export const sealedIdPattern = 's[A-Za-z0-9_-]{22}'
const form = new RegExp(`^${sealedIdPattern}$`)

/** The mark of a position. An event has 0 there. */
const ofPosition = 1

/** `secret`: of all processes on the database, so that a reader resumes at any of them. */
export function openIdSeal(secret: Secret, random: Random): IdSeal {
  const key = Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'ids of events', 32))

  // A single block is a permutation under the key: texts are equal where the blocks are, and show nothing else.
  function seal(id: number, mark: number, rest: Uint8Array): string {
    const block = Buffer.alloc(16)
    block.writeBigUInt64BE(BigInt(id), 0)
    block[0] = mark
    block.set(rest, 8)
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    return `s${Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')}`
  }

  return {
    event({ id, occurredAt }) {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(occurredAt))
      return seal(id, 0, time)
    },
    position: (id) => seal(id, ofPosition, random.bytes(8)),
    open(text) {
      if (!form.test(text)) return undefined
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(Buffer.from(text.slice(1), 'base64url')), decipher.final()])
      const mark = block[0]
      block[0] = 0
      const [id, time] = [Number(block.readBigUInt64BE(0)), Number(block.readBigUInt64BE(8))]
      return { id, ...(mark !== ofPosition && { occurredAt: time }), isSealed: true }
    },
  }
}
