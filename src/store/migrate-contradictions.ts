// The contradictions between endpoints of a network within a week. It has landed, and is never edited.

/** `id` declares a column of ids that rise with the rows. */
export const contradictionsTable = (id: string) =>
  `CREATE TABLE contradictions (${id}, network TEXT NOT NULL, chain_id BIGINT NOT NULL, noted_at BIGINT NOT NULL,
    condition TEXT NOT NULL, question TEXT NOT NULL, answers TEXT NOT NULL)`

export const contradictionsIndex = 'CREATE INDEX contradictions_network ON contradictions (network, chain_id, id)'
