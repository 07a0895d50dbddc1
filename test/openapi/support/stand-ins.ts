// Values in place of the document's examples, which can't contain ids that the service makes. The service has a relayer `local` and a
// signer `dev`.
import { generatePrivateKey } from 'viem/accounts'
import { type Client, until } from '../../../tooling/client.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'
import { type Described, pathWith } from './document.ts'

export interface ExampleRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface StandIns {
  make(path: string, body: object, headers?: Record<string, string>): Promise<string>
  /** The id of a transaction in the pool. */
  pending(): Promise<string>
  /** The id of a transaction on hold. */
  held(): Promise<string>
  /** A request by the examples of the operation, on something that was made for it. */
  requestOf(operation: Described, body: unknown): Promise<ExampleRequest>
}

export function standInsOn(client: Client): StandIns {
  let count = 0

  async function make(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const made = await client.request('POST', path, { body, headers })
    return (made.body as { data: { id: string } }).data.id
  }

  async function pending(): Promise<string> {
    const { id } = await client.send('local', {
      to: devAccount(9).address,
      value: '1',
      gas_limit: 21_000,
      speed: 'average',
    })
    const isSubmitted = async () => (await client.get('local', id)).status === 'submitted'
    await until(isSubmitted, { what: 'a transaction in the pool' })
    return id
  }

  async function makeRelayer(): Promise<string> {
    const signer = await make('/signers', { type: 'plain', config: { key: generatePrivateKey() } })
    const requested = { name: 'stands in', network: 'localhost', network_type: 'evm', signer_id: signer, paused: false }
    return make('/relayers', requested)
  }

  const held = () => make('/relayers/local/transactions', { to: devAccount(9).address, value: '1', hold: true })

  const standIns: Readonly<Partial<Record<string, (operationId: string) => Promise<string>>>> = {
    transaction_id: async (operationId) => {
      if (['getHold', 'releaseTransaction'].includes(operationId)) return held()
      const id = await pending()
      if (operationId === 'getCancellation') await client.cancel('local', id)
      return id
    },
    api_key_id: () => make('/api-keys', { name: 'stands in', scopes: ['read'] }),
    relayer_id: async (operationId) => {
      // A sweep pauses its relayer, and a relayer has one at a time.
      if (operationId === 'sweepRelayer') return makeRelayer()
      if (operationId === 'deleteRelayer') return makeRelayer()
      if (operationId !== 'getSweep') return 'local'
      const swept = await makeRelayer()
      await make(`/relayers/${swept}/sweep`, { to: devAccount(9).address })
      return swept
    },
    bulk_cancellation_id: () => {
      const key = { 'idempotency-key': `stand-in-${++count}` }
      return make('/bulk-cancellations', { filter: { ids: ['none'] }, relayers: ['local'] }, key)
    },
    signer_id: () => make('/signers', { type: 'plain', config: { key: devAccount(3).key } }),
    notification_id: () => make('/notifications', { url: 'https://hooks.example/stands-in' }),
  }

  return {
    make,
    pending,
    held,
    async requestOf(operation, body) {
      const values: Record<string, unknown> = {}
      for (const { name, examples, required } of operation.parameters) {
        const standIn = standIns[name]
        if (standIn) values[name] = await standIn(operation.id)
        else if (required || examples.length > 0) values[name] = examples[0]
      }
      const named = (place: string) =>
        Object.fromEntries(
          operation.parameters
            .filter((each) => each.in === place && each.name in values)
            .map(({ name }) => [name, `${values[name]}`]),
        )
      return {
        method: operation.method,
        path: `${pathWith(operation, values)}?${new URLSearchParams(named('query'))}`,
        headers: { ...named('header'), ...(operation.body && { 'content-type': operation.body.contentType }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
    },
  }
}
