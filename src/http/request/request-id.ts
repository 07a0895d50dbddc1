// Gives a request its id, for the response and the log: the client's own if it is acceptable, else a new one.
import type { IncomingMessage } from 'node:http'
import type { Random } from '../../ops/random.ts'
import { requestIdCharsMax } from '../limits.ts'

const sane = /^[\w.:@/+=-]+$/

/** Unique by a random prefix of this process and a counter, so that no request draws randomness. */
export function requestIds(random: Random): (request?: IncomingMessage) => string {
  const prefix = Buffer.from(random.bytes(8)).toString('hex')
  let count = 0
  return (request) => {
    const given = request?.headers['x-request-id']
    if (typeof given === 'string' && given.length <= requestIdCharsMax && sane.test(given)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
