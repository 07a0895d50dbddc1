// The load process: runs one job at a time for the bench, and ends with it.
import { type Connection, openConnection } from './keep-alive.ts'
import type { Job, LoadResult, Target } from './load-job.ts'

process.on('disconnect', () => process.exit())
process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})

/** Of the transactions that no DELETE has canceled. */
const ids: string[] = []

async function run(job: Job): Promise<LoadResult> {
  switch (job.kind) {
    case 'post': {
      const request = postRequest(job.target)
      return measure(job.target, job.connections, job.requests, async (connection) => {
        ids.push(idIn(await connection.exchange(request)))
      })
    }
    case 'delete': {
      const head = `DELETE ${pathOf(job.target)}/`
      const tail = ` HTTP/1.1\r\n${headers(job.target)}\r\n`
      return measure(job.target, job.connections, job.requests, async (connection) => {
        await connection.exchange(head + ids.pop() + tail)
      })
    }
    case 'bulk': {
      let body = ''
      const request = `DELETE ${pathOf(job.target)}/pending HTTP/1.1\r\n${headers(job.target)}\r\n`
      const result = await measure(job.target, 1, 1, async (connection) => {
        body = await connection.exchange(request)
      })
      return { ...result, canceled: (JSON.parse(body) as { data: { total_processed: number } }).data.total_processed }
    }
  }
}

async function measure(
  target: Target,
  connectionCount: number,
  requests: number,
  exchange: (connection: Connection) => Promise<void>,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => openConnection(target.port)))
  const latencies = new Float64Array(requests)
  let begun = 0
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  await Promise.all(
    connections.map(async (connection) => {
      while (begun < requests) {
        const index = begun++
        const sentAt = performance.now()
        await exchange(connection)
        latencies[index] = performance.now() - sentAt
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  for (const connection of connections) connection.close()
  latencies.sort()
  const percentile = (share: number) => latencies[Math.min(requests - 1, Math.floor(requests * share))] ?? 0
  const loadCpuSeconds = (cpu.user + cpu.system) / 1e6
  return { requests, seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99), loadCpuSeconds, canceled: 0 }
}

function postRequest(target: Target): string {
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const body = JSON.stringify({ to, value: '1', data: '0x', gas_limit: 21_000, speed: 'average' })
  const entity = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return `POST ${pathOf(target)} HTTP/1.1\r\n${headers(target)}${entity}\r\n${body}`
}

function pathOf({ relayerId }: Target): string {
  return `/api/v1/relayers/${relayerId}/transactions`
}

function headers({ port, apiKey }: Target): string {
  return `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`
}

/** The transaction's id: the one member named exactly so. Parsing whole bodies would cost the service its processor. */
function idIn(body: string): string {
  const at = body.indexOf('"id":"') + 6
  return body.slice(at, body.indexOf('"', at))
}
