// Mounts the operations on the service itself, open to everyone and without rate limits, and the refusals of operations that
// clients of similar services may call.

import { RescindError } from '../../domain/errors.ts'
import type { Clock } from '../../ops/clock.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { operation } from '../request/operation.ts'
import { health, type Readiness, ready } from './probes.ts'

export function serviceRoutes(at: Mounting, about: { version: string; readiness: Readiness; clock: Clock }): void {
  mount(at, 'GET', '/health', health())
  mount(at, 'GET', '/ready', ready(about))
}

export function unsupportedRoutes(at: Mounting): void {
  const sponsored = ['sponsored transactions (of Stellar and Solana) are', 'send with POST …/transactions'] as const
  mount(
    at,
    'POST',
    '/relayers/:relayer_id/transactions/sponsored/build',
    refuseUnsupported('buildSponsored', ...sponsored),
  )
  mount(
    at,
    'POST',
    '/relayers/:relayer_id/transactions/sponsored/quote',
    refuseUnsupported('quoteSponsored', ...sponsored),
  )
  const plugins = ['plug-ins are', 'call this API from a program of your own'] as const
  mount(at, 'GET', '/plugins', refuseUnsupported('listPlugins', ...plugins))
  mount(at, 'GET', '/plugins/:plugin_id', refuseUnsupported('getPlugin', ...plugins))
  mount(at, 'PATCH', '/plugins/:plugin_id', refuseUnsupported('updatePlugin', ...plugins))
  mount(at, 'GET', '/plugins/:plugin_id/call', refuseUnsupported('callPluginGet', ...plugins))
  mount(at, 'POST', '/plugins/:plugin_id/call', refuseUnsupported('callPlugin', ...plugins))
}

/** `what` is the subject of the sentence, `instead` the alternative. */
function refuseUnsupported(operationId: string, what: string, instead: string) {
  return operation({
    scope: 'read',
    schema: { operationId, hide: true },
    async answer() {
      throw new RescindError('NOT_SUPPORTED', `${what} not supported; ${instead}`)
    },
  })
}
