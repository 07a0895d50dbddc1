// Pins the key of a key service: its public key and version, as they are when it is first opened. No alias and no
// "latest" changes them afterwards.
import { publicKeyToAddress } from 'viem/accounts'
import { type Address, type Hex, lowerHex } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import { late, within } from '../../ops/within.ts'
import type { KeyService } from '../key-service.ts'
import { permanent, transient } from './key-errors.ts'

export interface PinnedKey {
  readonly publicKey: Hex
  readonly address: Address
  readonly keyVersion: string
}

/** A login, and the public key. */
const openMs = 10_000

/** `refusalOf`: why a key of this address may not be used; undefined if it may. The result throws KeyServiceError. */
export function keyPin(
  service: KeyService,
  clock: Clock,
  refusalOf: (address: Address) => string | undefined,
): () => Promise<PinnedKey> {
  let pinned: PinnedKey | undefined
  let opening: Promise<PinnedKey> | undefined

  async function open(): Promise<PinnedKey> {
    const opened = await within(clock, openMs, (over) => service.open(over))
    if (opened === late) throw transient('Timeout', 'the key service did not answer in time')
    const publicKey = lowerHex(opened.publicKey)
    if (!/^0x04[0-9a-f]{128}$/.test(publicKey)) {
      throw permanent('InvalidPublicKey', 'its public key is not 65 bytes, uncompressed')
    }
    const address = publicKeyToAddress(publicKey)
    const refusal = refusalOf(address)
    if (refusal !== undefined) throw permanent('AddressMismatch', refusal)
    pinned = { publicKey, address, keyVersion: opened.keyVersion }
    return pinned
  }

  return async () => {
    if (pinned) return pinned
    // One at a time: a token counts the logins with a wrong PIN.
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }
}
