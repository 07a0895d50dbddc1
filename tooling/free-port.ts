// A loopback port that nobody listens on, for what is told its port, or comes back on it: it stays this process's. It lies
// below those that systems name by themselves, where a listener of somebody else, or a connection, could take it meanwhile.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Linux names ports from 32,768 up, others from 49,152. */
const [least, most] = [16_384, 32_767]

export async function freePort(): Promise<number> {
  const port = randomInt(least, most + 1)
  return (await isClaimed(port)) && (await isFree(port)) ? port : freePort()
}

/** Of several processes that look for one, each gets another: UDP, which nobody uses here, tells them apart. Until its end. */
async function isClaimed(port: number): Promise<boolean> {
  const claim = createSocket('udp4')
  const claimed = once(claim, 'listening')
  claim.bind({ address: '127.0.0.1', port, exclusive: true }).unref()
  return claimed.then(
    () => true,
    () => {
      claim.close()
      return false
    },
  )
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
