// The engine broken on purpose, in ways that relayers really are broken. The simulator has to notice each of them.
import type { Mutant } from './mutant.ts'
import { ofAnchors } from './of-anchors.ts'
import { ofAnswers } from './of-answers.ts'
import { ofAttention } from './of-attention.ts'
import { ofBids } from './of-bids.ts'
import { ofBulkPreviews } from './of-bulk-previews.ts'
import { ofBulkTerms } from './of-bulk-terms.ts'
import { ofBulks } from './of-bulks.ts'
import { ofCostBounds } from './of-cost-bounds.ts'
import { ofCounts } from './of-counts.ts'
import { ofFinality } from './of-finality.ts'
import { ofForeignUses } from './of-foreign-uses.ts'
import { ofFunds } from './of-funds.ts'
import { ofGapFillers } from './of-gap-fillers.ts'
import { ofGround } from './of-ground.ts'
import { ofHolds } from './of-holds.ts'
import { ofInclusions } from './of-inclusions.ts'
import { ofLabels } from './of-labels.ts'
import { ofOwners } from './of-owners.ts'
import { ofPatience } from './of-patience.ts'
import { ofPolicies } from './of-policies.ts'
import { ofPresigning } from './of-presigning.ts'
import { ofPrices } from './of-prices.ts'
import { ofProfiles } from './of-profiles.ts'
import { ofRaces } from './of-races.ts'
import { ofRefusals } from './of-refusals.ts'
import { ofRestores } from './of-restores.ts'
import { ofRows } from './of-rows.ts'
import { ofSending } from './of-sending.ts'
import { ofSigners } from './of-signers.ts'
import { ofVerdicts } from './of-verdicts.ts'
import { ofWaits } from './of-waits.ts'
import { ofWitnesses } from './of-witnesses.ts'

export const mutants: readonly Mutant[] = [
  ...ofAnswers,
  ...ofAnchors,
  ...ofAttention,
  ...ofBids,
  ...ofFinality,
  ...ofForeignUses,
  ...ofGapFillers,
  ...ofPatience,
  ...ofPolicies,
  ...ofGround,
  ...ofPresigning,
  ...ofBulks,
  ...ofBulkTerms,
  ...ofBulkPreviews,
  ...ofPrices,
  ...ofLabels,
  ...ofHolds,
  ...ofProfiles,
  ...ofSigners,
  ...ofCostBounds,
  ...ofCounts,
  ...ofVerdicts,
  ...ofWaits,
  ...ofWitnesses,
  ...ofRefusals,
  ...ofSending,
  ...ofInclusions,
  ...ofRestores,
  ...ofOwners,
  ...ofRows,
  ...ofRaces,
  ...ofFunds,
]
