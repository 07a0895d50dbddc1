// Whether the ports are free, or in use by a service that runs already.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { ServerConfig } from '../../config/config.ts'
import { memberOf } from '../../ops/member.ts'
import type { Finding } from './finding.ts'

export async function checkPorts({ host, port, metrics }: ServerConfig): Promise<readonly Finding[]> {
  const api = await bind(host, port)
  const isRunning = api === 'EADDRINUSE' && (await answersHealth(host, port))
  return [
    finding({ check: 'APP_PORT', hostVariable: 'HOST', host, port }, api, isRunning),
    // A service on the first port explains the second.
    ...(metrics ? [finding(addressOf(metrics, host), await bind(metrics.host, metrics.port), isRunning)] : []),
  ]
}

interface Address {
  readonly check: string
  readonly hostVariable: string
  readonly host: string
  readonly port: number
}

/** The address of the metrics. Without METRICS_HOST, its host is that of HOST. */
function addressOf(metrics: NonNullable<ServerConfig['metrics']>, host: string): Address {
  return { check: 'METRICS_PORT', hostVariable: metrics.host === host ? 'HOST' : 'METRICS_HOST', ...metrics }
}

const nowhere: readonly string[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']

function finding({ check, hostVariable, host, port }: Address, code: string | undefined, isRunning: boolean): Finding {
  const place = 'ports'
  if (code === undefined) return { level: 'ok', place, check, text: `${host}:${port} is free` }
  if (nowhere.includes(code)) {
    const text = `"${host}" is no address of this machine (${code}); set ${hostVariable} to one, such as 127.0.0.1`
    return { level: 'error', place, check: hostVariable, text }
  }
  if (code !== 'EADDRINUSE')
    return { level: 'error', place, check, text: `${host}:${port} can't be listened on (${code})` }
  return isRunning
    ? { level: 'warning', place, check, text: `${host}:${port} is in use, by a service that runs already` }
    : {
        level: 'error',
        place,
        check,
        text: `${host}:${port} is in use by another process; set ${check} to a free port`,
      }
}

/** The code of the error, undefined without one. */
async function bind(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return String(memberOf(error, 'code'))
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}

const healthPatienceMs = 2_000

async function answersHealth(host: string, port: number): Promise<boolean> {
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host)
  try {
    const signal = AbortSignal.timeout(healthPatienceMs)
    const answer = await fetch(`http://${name}:${port}/api/v1/health`, { signal, redirect: 'error' })
    return answer.ok && (await answer.text()).trim() === 'OK'
  } catch {
    return false
  }
}
