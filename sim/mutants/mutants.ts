// The engine broken on purpose, in ways that relayers really are broken. The simulator has to notice each of them.
import type { Mutant } from './mutant.ts'
import { ofAnchors } from './of-anchors.ts'
import { ofAnswerSizes } from './of-answer-sizes.ts'
import { ofAnswers } from './of-answers.ts'
import { ofBids } from './of-bids.ts'
import { ofBounds } from './of-bounds.ts'
import { ofBulkEvents } from './of-bulk-events.ts'
import { ofBulkPreviews } from './of-bulk-previews.ts'
import { ofBulkTerms } from './of-bulk-terms.ts'
import { ofBulks } from './of-bulks.ts'
import { ofClientRefusals } from './of-client-refusals.ts'
import { ofContradictions } from './of-contradictions.ts'
import { ofCostBounds } from './of-cost-bounds.ts'
import { ofCounts } from './of-counts.ts'
import { ofCreations } from './of-creations.ts'
import { ofCustody } from './of-custody.ts'
import { ofDeliveries } from './of-deliveries.ts'
import { ofFigures } from './of-figures.ts'
import { ofFinality } from './of-finality.ts'
import { ofFourEyes } from './of-four-eyes.ts'
import { ofFunds } from './of-funds.ts'
import { ofGapFillers } from './of-gap-fillers.ts'
import { ofGasRules } from './of-gas-rules.ts'
import { ofGround } from './of-ground.ts'
import { ofHolds } from './of-holds.ts'
import { ofInclusions } from './of-inclusions.ts'
import { ofLabels } from './of-labels.ts'
import { ofMessages } from './of-messages.ts'
import { ofNetworkPauses } from './of-network-pauses.ts'
import { ofOddNodes } from './of-odd-nodes.ts'
import { ofOrders } from './of-orders.ts'
import { ofOwners } from './of-owners.ts'
import { ofPkcs11 } from './of-pkcs11.ts'
import { ofPolicies } from './of-policies.ts'
import { ofPostgres } from './of-postgres.ts'
import { ofPresigning } from './of-presigning.ts'
import { ofPrices } from './of-prices.ts'
import { ofProfiles } from './of-profiles.ts'
import { ofRaces } from './of-races.ts'
import { ofReach } from './of-reach.ts'
import { ofRefusals } from './of-refusals.ts'
import { ofReserve } from './of-reserve.ts'
import { ofRestores } from './of-restores.ts'
import { ofRetention } from './of-retention.ts'
import { ofRows } from './of-rows.ts'
import { ofRules } from './of-rules.ts'
import { ofSending } from './of-sending.ts'
import { ofShownProfiles } from './of-shown-profiles.ts'
import { ofSigners } from './of-signers.ts'
import { ofSmallRights } from './of-small-rights.ts'
import { ofSweeps } from './of-sweeps.ts'
import { ofTips } from './of-tips.ts'
import { ofVerdicts } from './of-verdicts.ts'
import { ofWaits } from './of-waits.ts'
import { ofWitnesses } from './of-witnesses.ts'

export const mutants: readonly Mutant[] = [
  ...ofAnswers,
  ...ofAnchors,
  ...ofAnswerSizes,
  ...ofBids,
  ...ofDeliveries,
  ...ofFigures,
  ...ofFinality,
  ...ofGapFillers,
  ...ofMessages,
  ...ofPolicies,
  ...ofPostgres,
  ...ofGround,
  ...ofPresigning,
  ...ofBounds,
  ...ofBulks,
  ...ofBulkEvents,
  ...ofBulkTerms,
  ...ofBulkPreviews,
  ...ofPrices,
  ...ofLabels,
  ...ofSweeps,
  ...ofCreations,
  ...ofClientRefusals,
  ...ofHolds,
  ...ofFourEyes,
  ...ofNetworkPauses,
  ...ofTips,
  ...ofProfiles,
  ...ofGasRules,
  ...ofReach,
  ...ofReserve,
  ...ofRetention,
  ...ofRules,
  ...ofSigners,
  ...ofSmallRights,
  ...ofContradictions,
  ...ofCostBounds,
  ...ofCounts,
  ...ofOddNodes,
  ...ofOrders,
  ...ofCustody,
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
  ...ofShownProfiles,
  ...ofFunds,
  ...ofPkcs11,
]
