// Method and path of each operation on relayers.
import type { ChainOf } from '../../commands/read-status.ts'
import type { Reads } from '../../store/store.ts'
import { getRelayer } from '../get-relayer.ts'
import { getRelayerBalance } from '../get-relayer-balance.ts'
import { getRelayerStatus } from '../get-relayer-status.ts'
import { listRelayers } from '../list-relayers.ts'
import { type Mounting, mount } from './mount.ts'

export function relayerRoutes(at: Mounting, reads: Reads, chainOf: ChainOf): void {
  mount(at, 'GET', '/relayers', listRelayers(reads))
  mount(at, 'GET', '/relayers/:relayer_id', getRelayer(reads))
  mount(at, 'GET', '/relayers/:relayer_id/status', getRelayerStatus(reads, chainOf))
  mount(at, 'GET', '/relayers/:relayer_id/balance', getRelayerBalance(reads, chainOf))
}
