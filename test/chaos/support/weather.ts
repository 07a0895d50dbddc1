// The weathers between a service and its node, drawn at random.
import type { Dice } from '../../../tooling/dice.ts'
import type { Fate, Weather } from './tcp-proxy.ts'

export const fair: Weather = () => ({ do: 'pass' })

/**
 * Of whatever passes, about half suffers. `delayMaxMs`: how late it may come. `stalls`: of a hundred, how many; each
 * holds up all that waits for it until the service gives up.
 */
export function storm(chance: Dice, { delayMaxMs, stalls }: { delayMaxMs: number; stalls: number }): Weather {
  return (way, bytes): Fate => {
    switch (chance.weighted({ pass: 56, delay: 16, cut: 14, garble: way === 'answer' ? 14 : 0, stall: stalls })) {
      case 'pass':
        return { do: 'pass' }
      case 'delay':
        return { do: 'delay', ms: chance.chance(0.8) ? chance.below(300) : chance.below(delayMaxMs) }
      case 'cut':
        return { do: 'cut', afterBytes: chance.below(bytes.length) }
      case 'garble':
        return { do: 'garble', bytes: garbage(chance) }
      case 'stall':
        return { do: 'stall' }
    }
  }
}

/** Nothing gets through, either way, of whatever begins now. */
export const silent: Weather = () => ({ do: 'stall' })

/** Requests reach the node, and every answer comes `ms` later. */
export function late(ms: number): Weather {
  return (way) => (way === 'answer' ? { do: 'delay', ms } : { do: 'pass' })
}

const bodies = [
  '<html><body>502 Bad Gateway</body></html>',
  '{"jsonrpc":"2.0","id":1,"result":"0x',
  '[1,null,"x",{"id":{}},[],{"jsonrpc":"2.0","result":true}]',
  '{"jsonrpc":"2.0","id":null,"error":"no"}',
  '{"error":{"message":"internal"}}',
  'null',
  '',
]

/** Bytes that are no HTTP, or HTTP whose body is no answer. */
function garbage(chance: Dice): Buffer {
  if (chance.chance(0.3)) return Buffer.from(chance.bytes(chance.between(1, 400)))
  const body = chance.pick(bodies)
  const status = chance.pick(['200 OK', '502 Bad Gateway', '500 Internal Server Error', '429 Too Many Requests'])
  // Sometimes more is promised than comes.
  const length = body.length + (chance.chance(0.2) ? 100 : 0)
  const type = chance.pick(['application/json', 'text/html'])
  return Buffer.from(`HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`)
}

/** Signed transactions reach the node, and the connection breaks before it can say so. */
export const unheard: Weather = (way, bytes) => {
  const sends = way === 'request' && bytes.includes('eth_sendRawTransaction')
  return sends ? { do: 'cut', afterBytes: bytes.length } : { do: 'pass' }
}
