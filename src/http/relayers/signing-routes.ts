// Mounts the operations that sign without sending.
import type { SignerOf } from '../../commands/relayers/sign.ts'
import type { Reads } from '../../store/store.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { sign } from './sign.ts'
import { signTransaction } from './sign-transaction.ts'
import { signTypedData } from './sign-typed-data.ts'

export function signingRoutes(at: Mounting, reads: Reads, signerOf: SignerOf): void {
  mount(at, 'POST', '/relayers/:relayer_id/sign', sign(reads, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-typed-data', signTypedData(reads, signerOf))
  mount(at, 'POST', '/relayers/:relayer_id/sign-transaction', signTransaction(reads))
}
