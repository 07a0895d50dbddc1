// Seals the messages between replicas: any role that may connect to the database can send a NOTIFY on their channel.
//
// A sealed message is the message's JSON with four members more: its sender, its number, its time and, last, a MAC over all
// of it and the channel.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../ops/clock.ts'
import type { Random } from '../../ops/random.ts'
import type { Secret } from '../../ops/secret.ts'

/** A message is old news after this time. Longer than a message takes, together with the skew of the replicas' clocks. */
const believedMs = 15_000
/** Senders whose last number is remembered. More than there are replicas: only a holder of a key becomes one. */
const sendersMax = 1_000

interface MessageSeal {
  /** `json` is an object's. */
  seal(json: string, channel: string): string
  /** The sealed JSON. Undefined for a message that no replica sealed, that is old, or that came before. */
  open(payload: string, channel: string): string | undefined
}

export interface SealMessages {
  /** The API keys: messages are sealed under the first, and opened under any. */
  readonly keys: readonly Secret[]
  readonly random: Random
  readonly clock: Pick<Clock, 'now'>
}

interface Stamp {
  readonly from: string
  readonly number: number
  readonly at: number
}

export function openMessageSeal({ keys, random, clock }: SealMessages): MessageSeal {
  const derived = keys.map(macKey)
  const [first] = derived
  if (!first) throw new Error('messages are sealed under an API key')
  const self = Buffer.from(random.bytes(16)).toString('hex')
  const last = new Map<string, Stamp>()
  let sent = 0

  /** A message that was recorded and sent again has a number that its sender has passed, or is old. */
  function isNew({ from, number, at }: Stamp): boolean {
    const isRecent = Math.abs(clock.now() - at) <= believedMs
    return isRecent && number > (last.get(from)?.number ?? 0)
  }

  function remember(stamp: Stamp): void {
    // The sender of the oldest message comes first. Its recorded messages are old.
    last.delete(stamp.from)
    last.set(stamp.from, stamp)
    const [eldest] = last.keys()
    if (last.size > sendersMax && eldest !== undefined) last.delete(eldest)
  }

  return {
    seal(json, channel) {
      sent += 1
      const members = json === '{}' ? '{' : `${json.slice(0, -1)},`
      const stamped = `${members}"from":"${self}","number":${sent},"at":${clock.now()}}`
      return `${stamped.slice(0, -1)},"mac":"${macOf(first, channel, stamped).toString('base64url')}"}`
    },
    open(payload, channel) {
      const [, body, from, number, at, mac] = sealed.exec(payload) ?? []
      if (from === undefined || mac === undefined) return undefined
      const stamped = `${body}}`
      const given = Buffer.from(mac, 'base64url')
      if (!derived.some((key) => timingSafeEqual(macOf(key, channel, stamped), given))) return undefined
      const stamp = { from, number: Number(number), at: Number(at) }
      if (!isNew(stamp)) return undefined
      remember(stamp)
      return stamped
    },
  }
}

/** The MAC stands last. Its 43 characters are 32 bytes. */
const sealed = /^(\{.*"from":"([0-9a-f]{32})","number":(\d{1,15}),"at":(\d{1,15})),"mac":"([\w-]{43})"\}$/s

/** The API key itself never seals anything: a key for one purpose gives nothing away about another. */
function macKey(apiKey: Secret): Buffer {
  return Buffer.from(hkdfSync('sha256', apiKey.reveal(), '', 'rescind: messages between replicas', 32))
}

function macOf(key: Buffer, channel: string, text: string): Buffer {
  return createHmac('sha256', key).update(channel).update('\n').update(text).digest()
}
