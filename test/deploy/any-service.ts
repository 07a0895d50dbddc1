// A service without relayers, which calls no node.
import { type Service, startService } from '../../tooling/service.ts'

export function anyService(): Promise<Service> {
  return startService({ networks: [{ name: 'local', rpcUrls: ['http://127.0.0.1:1'] }], relayers: [] })
}
