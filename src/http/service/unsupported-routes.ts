// Mounts the refusals of operations that clients of similar services may call.
import { type Mounting, mount } from '../request/mount.ts'
import { refuseUnsupported } from './refuse-unsupported.ts'

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
