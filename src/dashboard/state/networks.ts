// The networks' symbols and explorers, read once for a page.
import { signal } from '@preact/signals'
import type { NetworkView } from '../../client/record-types.ts'
import { after } from './clock.ts'
import { Failure, request } from './request.ts'

const networks = signal<ReadonlyMap<string, NetworkView>>(new Map())
let isRead = false

async function read(): Promise<void> {
  isRead = true
  try {
    const { data } = await request<readonly NetworkView[]>('/v1/networks?per_page=100')
    networks.value = new Map(data.map((network) => [network.name, network]))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Amounts then have no symbol of their own, and hashes no link.
    after(10_000, () => {
      isRead = false
    })
  }
}

interface ShownNetwork {
  readonly symbol: string
  readonly explorer: string | undefined
  readonly confirmations: number | undefined
}

export function networkOf(name: string | undefined): ShownNetwork {
  if (!isRead) void read()
  const network = name === undefined ? undefined : networks.value.get(name)
  return {
    symbol: network?.symbol ?? 'ETH',
    explorer: network?.explorer_url,
    confirmations: network?.required_confirmations,
  }
}
