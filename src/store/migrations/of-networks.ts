// The tables of networks and of the registry. By the chain id as well: a name may stand for another chain later.
import { numbered, type Sql } from './migration.ts'

export const ofNetworks: readonly Sql[] = [
  `CREATE TABLE managed (
    kind TEXT NOT NULL, id TEXT NOT NULL, facts TEXT NOT NULL, sealed TEXT, revision BIGINT NOT NULL, PRIMARY KEY (kind, id)
  )`,
  'CREATE TABLE estate (id INTEGER PRIMARY KEY, revision BIGINT NOT NULL)',
  'INSERT INTO estate (id, revision) VALUES (1, 0)',

  'CREATE TABLE network_pauses (network TEXT PRIMARY KEY, pause TEXT NOT NULL)',
  // With a row for relayers that name no notification: events about a network's nodes are one for each.
  `CREATE TABLE network_attentions (
    network TEXT NOT NULL, notification_id TEXT NOT NULL, attention TEXT NOT NULL, PRIMARY KEY (network, notification_id)
  )`,
  // One row a replica, so that it writes all of it with one statement every ten seconds.
  'CREATE TABLE node_reports (replica TEXT PRIMARY KEY, read_at BIGINT NOT NULL, networks TEXT NOT NULL)',
  // The tips that were believed on a network within a day.
  `CREATE TABLE tip_marks (
    network TEXT NOT NULL, chain_id BIGINT NOT NULL, marked_at BIGINT NOT NULL, tip TEXT NOT NULL,
    PRIMARY KEY (network, chain_id, marked_at)
  )`,
  `CREATE TABLE anchors (
    network TEXT NOT NULL, chain_id BIGINT NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
    mined_at BIGINT NOT NULL, recorded_at BIGINT NOT NULL, PRIMARY KEY (network, chain_id)
  )`,
  numbered(
    (id) => `CREATE TABLE contradictions (
    ${id}, network TEXT NOT NULL, chain_id BIGINT NOT NULL, noted_at BIGINT NOT NULL,
    condition TEXT NOT NULL, question TEXT NOT NULL, answers TEXT NOT NULL
  )`,
  ),
  'CREATE INDEX contradictions_network ON contradictions (network, chain_id, id)',
]
