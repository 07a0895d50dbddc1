// The chain port: one network, as its nodes tell it. Only this folder speaks JSON-RPC.
import type { BroadcastOutcome } from '../domain/attempt.ts'
import type { Address, Hash, Hex } from '../domain/ids.ts'
import type { Head, Inquiry, Observation } from '../domain/observation.ts'
import type { Wei } from '../domain/units.ts'

export interface BroadcastRequest {
  readonly hash: Hash
  readonly raw: Hex
  /** `one`: an endpoint, and the next if it fails. `all`: every endpoint, for a no-op that must win. */
  readonly reach: 'one' | 'all'
  /** Asked before each endpoint after the first: what is canceled meanwhile is broadcast to no more of them. */
  readonly stillWanted?: () => Promise<boolean>
}

/** A call that changes nothing, asked for a client. */
export interface ChainRead {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a node answered, errors included; no message holds a URL or a key. */
export type ReadAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

export interface Chain {
  /**
   * Answers an inquiry as of one head. Rejects with ChainUnavailable when no endpoint can tell head and nonce;
   * any other fact that could not be read is missing from the observation.
   */
  observe(inquiry: Inquiry): Promise<Observation>
  /** An account that may be asked about before long: what a call can tell of many is asked for it, too. Costs nothing. */
  announce(address: Address): void
  /** Broadcasts signed transactions in the order given, in one batch. Never rejects: not knowing is an outcome. */
  broadcast(requests: readonly BroadcastRequest[]): Promise<ReadonlyMap<Hash, BroadcastOutcome>>
  /** In wei, at the latest head; those asked for at one moment share a call. Rejects with ChainUnavailable. */
  balance(address: Address): Promise<Wei>
  /**
   * Passed on as it is, on connections of its own, and no judgement on a node's health: what clients ask can't hold up
   * or misguide what the engine asks. Rejects with ChainUnavailable when no endpoint answers.
   */
  read(read: ChainRead): Promise<ReadAnswer>
  /** Calls `onHead` for each new head until aborted. The head is polled only while somebody follows. */
  follow(onHead: (head: Head) => void, signal: AbortSignal): void
  close(): Promise<void>
}

/** The chains of a process, by name. A chain stays the same object when it is put again, with other nodes behind it. */
export interface Chains<Settings> extends AsyncDisposable {
  get(name: string): Chain | undefined
  put(name: string, settings: Settings): void
  drop(name: string): void
}

/** No endpoint of the network answers. `message` names no URL: those hold keys. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}
