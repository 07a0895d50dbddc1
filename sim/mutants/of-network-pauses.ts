// Mutants of the pause of a whole network.
import type { Mutant } from './mutant.ts'

const marking = 'src/store/registry/network-pauses.ts'

export const ofNetworkPauses: readonly Mutant[] = [
  {
    name: 'go-on-in-a-paused-network',
    breaks: 'takes the pause of a network for none',
    with: ['networkPauses'],
    expects: 'while the network was paused',
    edits: [{ file: 'src/domain/pause.ts', find: 'return paused || networkPaused === true', put: 'return paused' }],
  },
  {
    name: 'bind-while-the-network-is-paused',
    breaks: 'signs what it decided before the network was paused',
    with: ['networkPauses'],
    expects: 'while the network was paused',
    edits: [
      {
        file: 'src/engine/record.ts',
        find: 'if (!fresh || isPaused(fresh) !== isPaused(relayer)) return false',
        put: 'if (!fresh || fresh.paused !== relayer.paused) return false',
      },
    ],
  },
  {
    name: 'resume-what-was-paused-itself',
    breaks: 'resumes with a network the relayers that were paused themselves',
    with: ['networkPauses'],
    expects: 'its own pause changed with that of its network',
    edits: [
      {
        file: marking,
        find: '.set({ network_paused: p.paused })',
        put: '.set({ network_paused: p.paused, paused: p.paused })',
      },
    ],
  },
  {
    name: 'lose-the-mark-with-a-change',
    breaks: 'forgets the pause of its network when a relayer is saved',
    with: ['networkPauses'],
    expects: 'its own pause changed with that of its network',
    edits: [{ file: 'src/store/relayers/relayers.ts', find: 'THEN 1 ELSE 0 END`', put: 'THEN 0 ELSE 0 END`' }],
  },
  {
    name: 'mark-without-the-relayers',
    breaks: 'marks a paused network, and none of its relayers',
    with: ['networkPauses'],
    expects: 'while the network was paused',
    edits: [{ file: marking, find: "'network_paused', '<>', p.paused", put: "'network_paused', '>', p.paused" }],
  },
]
