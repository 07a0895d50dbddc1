// Clients that preview bulk cancellations, and request them by what the preview showed, at once or later.
import type { BulkRequest } from '../src/domain/bulk-cancellation.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

/** Half of the requests are previews, and the others follow one. */
export function varyPreviews(world: World, service: Service): void {
  const { scenario, previewDice: dice, timeline } = world
  if (scenario.bulkPreviews === undefined || !dice.chance(scenario.bulkPreviews)) return
  // Half of the time it happens between two turns of an engine that is at work.
  if (dice.chance(0.5)) timeline.interject(dice.between(1, 12), () => varyOne(world, service))
  else varyOne(world, service)
}

function varyOne({ scenario, previewDice: dice, knownPreviews, marks }: World, service: Service): void {
  const known = dice.chance(0.7) ? knownPreviews.at(-1) : knownPreviews.at(-2)
  if (known && dice.chance(0.5)) {
    marks.inRace('bulk-in-a-race')
    service.cancelAsShown(known)
    return
  }
  const all = Array.from({ length: scenario.relayers }, (_, index) => index)
  const filter = dice.pick<BulkRequest['filter']>([
    {},
    {},
    { valueTo: BigInt(dice.below(1_000)) },
    { olderThanMs: dice.pick([1, 2_000, 30_000]) },
    { statuses: [dice.pick(['pending', 'submitted'] as const)] },
  ])
  const limit = dice.pick([{}, {}, {}, { only: 'free' as const }, { maxCost: 10n ** BigInt(dice.between(12, 18)) }])
  service.preview(dice.chance(0.5) ? all : [dice.pick(all)], { filter, pause: false, ...limit })
}
