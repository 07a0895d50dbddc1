// Loaded before the service (node --import): before a write an owner no longer looks whether its lease is over. What is
// left is the relayer's epoch, in the database.
import { put } from '../../../sim/mutants/substitute.ts'

put('without-clock', [
  {
    file: 'src/ownership/ownership.ts',
    find: '  refuseIfOver(ownership)\n  await session.fence(ownership.relayer, ownership.epoch)\n',
    put: '  await session.fence(ownership.relayer, ownership.epoch)\n',
  },
])
