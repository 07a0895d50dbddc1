// The name of a request in its answer and in the log: the client's own where it is sane, else ours.
import type { IncomingMessage } from 'node:http'
import type { Random } from '../../ops/random.ts'
import { requestIdCharsMax } from '../limits.ts'

const sane = /^[\w.:@/+=-]+$/

/** Unique by a random prefix of this process and a counter: no randomness is drawn for a request. */
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
