// Mounts the operations that sign without sending.
import type { SignerOf } from '../../commands/relayers/sign.ts'
import type { Store } from '../../store/store.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { sign } from './sign.ts'
import { signTransaction } from './sign-transaction.ts'
import { signTypedData } from './sign-typed-data.ts'

export function signingRoutes(at: Mounting, store: Store, signerOf: SignerOf): void {
  mount(at, 'POST', '/relayers/:relayer_id/sign', sign(store, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-typed-data', signTypedData(store, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-transaction', signTransaction(store.reads))
}
