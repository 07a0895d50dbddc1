// The chain port: one network, as its nodes report it. Only this folder speaks JSON-RPC.
import type { BroadcastOutcome } from '../domain/attempt.ts'
import type { Market, NetworkPrice } from '../domain/fees.ts'
import type { GasFigures } from '../domain/gas-figures.ts'
import type { Address, Hash, Hex } from '../domain/ids.ts'
import type { ShownMake } from '../domain/network-profiles.ts'
import type { NodeView } from '../domain/node-report.ts'
import type { Head, Inquiry, Observation } from '../domain/observation.ts'
import type { Pooled } from '../domain/pooled.ts'
import type { BlockRef } from '../domain/transaction.ts'
import type { BlockNumber, Nonce, TimestampMs, Wei } from '../domain/units.ts'

export interface BroadcastRequest {
  readonly hash: Hash
  readonly raw: Hex
  /** `one`: one endpoint, and the next if it fails. `all`: every endpoint, for a no-op that must win. */
  readonly reach: 'one' | 'all'
  /** The end that its client set, for a sequencer that enforces it. A no-op has none. */
  readonly validUntil?: TimestampMs
  /**
   * Called before each endpoint after the first: a transaction canceled meanwhile is broadcast to no further endpoint.
   */
  readonly stillWanted?: () => Promise<boolean>
}

/** A client's call that changes nothing. */
export interface ChainRead {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A client's call whose result is passed on as it came. */
export interface ForwardedRead extends ChainRead {
  /** The most bytes of the node's whole answer. */
  readonly bytesMax: number
}

/** `result`: JSON, as the node wrote it. `beyond`: the answer has more bytes than these, and was not read. */
export type ForwardedAnswer =
  | { readonly result: Buffer }
  | { readonly beyond: number }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** A node's answer or error. No message holds a URL or a key. */
export type ReadAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

export interface Chain {
  /**
   * Answers an inquiry as of one head. Rejects with ChainUnavailable when no endpoint returns head and nonce. Any other
   * fact that could not be read is missing from the observation. `changed` is called when answers have come that this observation
   * did not wait for.
   */
  observe(inquiry: Inquiry, changed?: () => void): Promise<Observation>
  /**
   * Announces an account that may be observed soon, so that a read of other accounts covers it. Sends no call itself.
   */
  announce(address: Address): void
  /** Broadcasts signed transactions in the given order, in one batch. Never rejects: `unknown` is an outcome. */
  broadcast(requests: readonly BroadcastRequest[]): Promise<ReadonlyMap<Hash, BroadcastOutcome>>
  /** The balance in wei, at the latest head. Simultaneous reads share a call. Rejects with ChainUnavailable. */
  balance(address: Address): Promise<Wei>
  /** The transactions of the account in pools. Undefined where no endpoint counts its pool. Never rejects. */
  pooled(address: Address): Promise<Pooled | undefined>
  /**
   * How many nonces of the account are spent in blocks with so many confirmations. A count no higher than `above` costs one call. Undefined
   * where no node has it. Rejects with ChainUnavailable.
   */
  confirmedCount(address: Address, confirmations: number, above: Nonce): Promise<ConfirmedCount | undefined>
  /**
   * The transaction that spent the nonce in such a block, by its own bytes. Undefined where no node shows it. Rejects with
   * ChainUnavailable.
   */
  spending(address: Address, nonce: Nonce, confirmations: number): Promise<SpendingShown | undefined>
  /** The prices of gas that forks change, as far as they were read or set. Sends no call. */
  gasFigures(): GasFigures
  /** Figures as of the last observation of any account. Sends no call. Undefined before the first. */
  price(): NetworkPrice | undefined
  /** The market of `price`, or an earlier one. Sends no call. Undefined before the first. */
  market(): Market | undefined
  /**
   * Passes the read on unchanged, on separate connections and without judging the node's health, so that clients can't
   * delay or mislead the engine. Rejects with ChainUnavailable when no endpoint answers.
   */
  read(read: ChainRead): Promise<ReadAnswer>
  /** Reads as `read` does, with the result as bytes. An answer beyond the limit is one, too: no further endpoint gets the call. */
  forward(read: ForwardedRead): Promise<ForwardedAnswer>
  /** Calls `onHead` for each new head until aborted. The head is polled only while there is a follower. */
  follow(onHead: (head: Head) => void, signal: AbortSignal): void
  /** Whether each endpoint can be used, in the order of the configuration. Queries those that have not answered yet. */
  check(): Promise<readonly EndpointState[]>
  /** How the chain is made, by contracts that it has. Undefined while too few endpoints have answered. Never rejects. */
  shownMake(): Promise<ShownMake | undefined>
  /** Whether the chain, one of Arbitrum's, orders transactions by their tips. Undefined as `shownMake` is. Never rejects. */
  collectsTips(): Promise<boolean | undefined>
  /** Verifies endpoints again that the stored anchor excluded: it is another one now. Never rejects. */
  anchorReplaced(): Promise<void>
  /** The endpoints that serve another chain by their chain id or the anchor. Sends no call. */
  wrongChains(): readonly WrongChain[]
  /** The endpoints that hold different branches, as many one as another. Nothing is settled meanwhile. Sends no call. */
  split(): readonly BranchHolder[]
  /** The only endpoint that answers as a witness, and for how long. Sends no call. */
  singleWitness(): { readonly endpoint: number; readonly silentMs: number } | undefined
  /** Each endpoint as its calls have shown it, in the order of the configuration. Sends no call. */
  nodes(): readonly NodeView[]
  /** Reads the head of endpoints that no other call has read for long. Never rejects. */
  lookAtNodes(): Promise<void>
  close(): Promise<void>
}

/** `isByTwo`: two providers count as many, or there is only one. */
interface ConfirmedCount {
  readonly count: Nonce
  readonly isByTwo: boolean
}

export interface SpendingShown {
  readonly hash: Hash
  readonly block: BlockNumber
}

/** An endpoint of another chain or branch. */
export interface WrongChain {
  /** The endpoint's index in the configuration. */
  readonly endpoint: number
  readonly text: string
}

/** An endpoint whose branch as many hold as another one. */
export interface BranchHolder extends WrongChain {
  readonly head: BlockRef
}

export type EndpointState = 'ok' | 'wrongChain' | 'noAnswer'

/** The chains of a process, by name. A chain stays the same object when new settings replace its nodes. */
export interface Chains<Settings> extends AsyncDisposable {
  get(name: string): Chain | undefined
  put(name: string, settings: Settings): void
  drop(name: string): void
}

/** No endpoint of the network answers. `message` names no URL, since URLs hold keys. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'
}
