// Reads the block that a tag names, by each endpoint: once a head.
import type { FinalityTag } from '../../domain/finality.ts'
import type { Hash } from '../../domain/ids.ts'
import type { Head } from '../../domain/observation.ts'
import type { Clock } from '../../ops/clock.ts'
import type { NodeReply } from '../nodes/ask-about.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { readNamed } from '../nodes/read-block.ts'

/** Never rejects. */
export type NamedBlock = (endpoint: Endpoint, tag: FinalityTag, at: Head) => Promise<NodeReply<Head>>

interface Reading {
  readonly head: Hash
  readonly at: number
  readonly reply: Promise<NodeReply<Head>>
}

/** A head that stays is read for again after `rereadMs`. */
export function namingBlocks(clock: Clock, rereadMs: number): NamedBlock {
  const readings = new Map<string, Reading>()
  return (endpoint, tag, { hash }) => {
    const key = `${endpoint.index} ${tag}`
    const known = readings.get(key)
    if (known?.head === hash && clock.elapsed() - known.at < rereadMs) return known.reply
    const reading = { head: hash, at: clock.elapsed(), reply: readNamed(endpoint, tag) }
    readings.set(key, reading)
    return reading.reply
  }
}
