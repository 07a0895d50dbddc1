// The address of the relayers that are stored with a signer: its key must not become another behind an alias.
import type { Address } from '../domain/ids.ts'
import type { Store } from '../store/store.ts'

export function storedAddress(store: Store): (signerId: string) => Promise<Address | undefined> {
  return (signerId) =>
    store.commit(async (session) => {
      const [id] = await session.relayersUsing('signer', signerId)
      return id === undefined ? undefined : (await session.relayer(id))?.address
    })
}
