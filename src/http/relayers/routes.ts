// Mounts the operations on relayers.
import type { ManagementContext } from '../../commands/management.ts'
import type { ChainOf } from '../../commands/relayers/read-status.ts'
import type { SignerOf } from '../../commands/relayers/sign.ts'
import type { Store } from '../../store/store.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { acknowledgeCondition, withdrawAcknowledgment } from './acknowledge-condition.ts'
import { createRelayer } from './create-relayer.ts'
import { deleteRelayer } from './delete-relayer.ts'
import { getOverview, getRelayerOverview } from './get-overview.ts'
import { getRelayerStatus } from './get-relayer-status.ts'
import { getSeries } from './get-series.ts'
import { listDailyGas } from './list-daily-gas.ts'
import { permitGapFillers } from './permit-gap-fillers.ts'
import { getRelayer, getRelayerBalance, listRelayers } from './read-relayers.ts'
import { rpc } from './rpc.ts'
import { sign, signTransaction, signTypedData } from './sign.ts'
import { getSweep, sweep } from './sweep.ts'
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

export function signingRoutes(at: Mounting, store: Store, signerOf: SignerOf): void {
  mount(at, 'POST', '/relayers/:relayer_id/sign', sign(store, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-typed-data', signTypedData(store, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-transaction', signTransaction(store.reads))
}
