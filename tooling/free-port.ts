// A free loopback port for a server that needs its number in advance, or comes back on it. It stays reserved for this process, and
// lies below the ports that systems choose by themselves, where another listener or a connection could take it meanwhile.
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

/** Claims the port until this process ends, by binding the same number in UDP, which nothing else uses here: no two processes get one port. */
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
