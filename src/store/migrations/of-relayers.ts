// The tables of relayers: their rows, what an operator reads of them, and the record of their gap fillers and give-ups.
import type { Sql } from './migration.ts'

export const ofRelayers: readonly Sql[] = [
  // Where `explained_below` and `spent_below` differ, a history check is unfinished. `gave_up_at` is the last of `give_ups`, so that a
  // send counts none in a relayer without any. `network_paused` stands in the row that each send and each step of an owner locks: a
  // pause needs no statement more, and no commit lies beside it.
  `CREATE TABLE relayers (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, network TEXT NOT NULL, chain_id BIGINT NOT NULL,
    address TEXT NOT NULL, signer_id TEXT NOT NULL, notification_id TEXT, paused INTEGER NOT NULL,
    network_paused INTEGER NOT NULL DEFAULT 0, policies TEXT NOT NULL, epoch BIGINT NOT NULL,
    last_sequence BIGINT NOT NULL, spent_below BIGINT NOT NULL, explained_below BIGINT NOT NULL DEFAULT 0,
    unchecked_through BIGINT, gave_up_at BIGINT,
    UNIQUE (address, chain_id)
  )`,
  `CREATE TABLE former_relayers (
    id TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL,
    last_sequence BIGINT NOT NULL, spent_below BIGINT NOT NULL, deleted_at BIGINT NOT NULL
  )`,

  // Apart from the relayers, whose rows each step reads whole, and each send locks.
  `CREATE TABLE owner_reports (
    relayer_id TEXT PRIMARY KEY, observed_at BIGINT NOT NULL, balance TEXT, balance_read_at BIGINT, funds TEXT,
    conditions TEXT NOT NULL, attention TEXT NOT NULL
  )`,
  'CREATE TABLE relayer_changes (relayer_id TEXT PRIMARY KEY, change TEXT NOT NULL)',
  // Of a condition that began at this time: another beginning needs another acknowledgment.
  `CREATE TABLE acknowledgments (
    relayer_id TEXT NOT NULL, condition TEXT NOT NULL, since BIGINT NOT NULL, acknowledgment TEXT NOT NULL,
    PRIMARY KEY (relayer_id, condition)
  )`,

  // How far a confirmed count of the account was looked at: every nonce below is ours for good, or in an entry, or older than the first look.
  'CREATE TABLE foreign_looks (relayer_id TEXT PRIMARY KEY, looked_below BIGINT NOT NULL)',
  `CREATE TABLE foreign_uses (
    relayer_id TEXT NOT NULL, first_nonce BIGINT NOT NULL, last_nonce BIGINT NOT NULL, hash TEXT, block BIGINT,
    found_at BIGINT NOT NULL, may_be_lost INTEGER NOT NULL, acknowledgment TEXT, PRIMARY KEY (relayer_id, first_nonce)
  )`,

  // Nonces that were given back, gap fillers for nonces that the record never assigned, and how many more an operator permits.
  'CREATE TABLE released_nonces (relayer_id TEXT NOT NULL, nonce BIGINT NOT NULL, PRIMARY KEY (relayer_id, nonce))',
  `CREATE TABLE gap_fills (
    relayer_id TEXT NOT NULL, filled_at BIGINT NOT NULL, nonce BIGINT NOT NULL, PRIMARY KEY (relayer_id, filled_at, nonce)
  )`,
  `CREATE TABLE gap_permits (
    relayer_id TEXT PRIMARY KEY, fills BIGINT NOT NULL, granted_at BIGINT NOT NULL, expires_at BIGINT NOT NULL
  )`,
  // The payloads of an hour that every node refused, by the API key that sent them.
  `CREATE TABLE give_ups (
    relayer_id TEXT NOT NULL, key_id TEXT NOT NULL, given_up_at BIGINT NOT NULL, transaction_id TEXT NOT NULL,
    PRIMARY KEY (relayer_id, key_id, given_up_at, transaction_id)
  )`,

  // The no-ops that are signed before a cancellation. They stay until their nonce is final. `sealed` is null until the hash is durable.
  `CREATE TABLE presigned_no_ops (
    relayer_id TEXT NOT NULL, nonce BIGINT NOT NULL, hash TEXT NOT NULL, gas_limit BIGINT NOT NULL,
    gas_price TEXT, max_fee_per_gas TEXT, max_priority_fee_per_gas TEXT, sealed TEXT, signed_at BIGINT NOT NULL,
    PRIMARY KEY (relayer_id, nonce, hash)
  )`,
]
