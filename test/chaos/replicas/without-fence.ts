// Loaded before the service (node --import): an owner's writes are no longer checked, neither against the clock nor against
// the relayer's epoch. Production code has no switch for this.
import { put } from '../../../sim/mutants/substitute.ts'

put('without-fence', [
  {
    file: 'src/ownership/ownership.ts',
    find: '  refuseIfOver(ownership)\n  await session.fence(ownership.relayer, ownership.epoch)\n',
    put: "  if (ownership.relayer === '') await session.fence(ownership.relayer, ownership.epoch)\n",
  },
])
