// Mounts the operations on relayers.
import type { ManagementContext } from '../../commands/management.ts'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { acknowledgeCondition, withdrawAcknowledgment } from './acknowledge-condition.ts'
import { createRelayer } from './create-relayer.ts'
import { deleteRelayer } from './delete-relayer.ts'
import { getOverview, getRelayerOverview } from './get-overview.ts'
import { getRelayer } from './get-relayer.ts'
import { getRelayerBalance } from './get-relayer-balance.ts'
import { getRelayerStatus } from './get-relayer-status.ts'
import { getSeries } from './get-series.ts'
import { getSweep } from './get-sweep.ts'
import { listDailyGas } from './list-daily-gas.ts'
import { listRelayers } from './list-relayers.ts'
import { permitGapFillers } from './permit-gap-fillers.ts'
import { rpc } from './rpc.ts'
import { sweep } from './sweep.ts'
import { updateRelayer } from './update-relayer.ts'

export function relayerRoutes(
  at: Mounting,
  management: ManagementContext,
  chainOf: ChainOf,
  rpcAnswerBytesMax?: number,
): void {
  const { reads } = management.store
  const { endpointsOf, policyOf } = management.registry
  const source = { reads, chainOf, policyOf, clock: management.clock }
  const acknowledgment = '/relayers/:relayer_id/conditions/:condition/acknowledgment'
  mount(at, 'GET', '/overview', getOverview(source))
  mount(at, 'GET', '/daily-gas', listDailyGas(reads, management.clock))
  mount(at, 'GET', '/series', getSeries(reads, management.clock))
  mount(at, 'POST', '/relayers', createRelayer(management))
  mount(at, 'GET', '/relayers', listRelayers(reads, endpointsOf))
  mount(at, 'GET', '/relayers/:relayer_id', getRelayer(reads, endpointsOf))
  mount(at, 'PATCH', '/relayers/:relayer_id', updateRelayer(management))
  mount(at, 'DELETE', '/relayers/:relayer_id', deleteRelayer(management))
  mount(at, 'GET', '/relayers/:relayer_id/overview', getRelayerOverview(source))
  mount(at, 'PUT', acknowledgment, acknowledgeCondition(management))
  mount(at, 'DELETE', acknowledgment, withdrawAcknowledgment(management))
  mount(at, 'GET', '/relayers/:relayer_id/status', getRelayerStatus(reads, chainOf))
  mount(at, 'GET', '/relayers/:relayer_id/balance', getRelayerBalance(reads, chainOf))
  mount(at, 'POST', '/relayers/:relayer_id/gap-fillers', permitGapFillers(management))
  mount(at, 'POST', '/relayers/:relayer_id/sweep', sweep(management))
  mount(at, 'GET', '/relayers/:relayer_id/sweep', getSweep(reads))
  mount(at, 'POST', '/relayers/:relayer_id/rpc', rpc(reads, chainOf, rpcAnswerBytesMax))
}
