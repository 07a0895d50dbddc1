// Checks every refusal of a request: its operation has such a refusal, and the state in the refused database transaction demands it.
import type { ErrorCode } from '../../src/domain/errors.ts'
import type { HoldRequest } from '../../src/domain/hold.ts'
import type { ApiKeyId } from '../../src/domain/ids.ts'
import type { SendRequest } from '../../src/domain/submit.ts'
import { tagOf } from '../chain/transaction.ts'
import type { Shown } from '../clients.ts'
import type { Disk } from '../process/database.ts'
import type { Row } from './row.ts'
import { namedPrice, refusedBy, rulesOf } from './rules.ts'

/** A request as its client made it. */
export interface ClientRequest {
  readonly operation: keyof typeof refusals
  readonly relayer?: string
  readonly id?: string
  readonly request?: SendRequest
  /** The payload that a key was shown, which it releases under four eyes. */
  readonly shown?: Shown | undefined
  readonly key?: ApiKeyId
  /** Whether a bulk cancellation has terms with a limit. */
  readonly isPriced?: boolean
  /** The `at_most` of a bulk cancellation. */
  readonly atMost?: number | undefined
}

interface RelayerState {
  readonly paused: 0 | 1
  /** By the mark of the network, whatever the relayer's row says. */
  readonly network_paused: 0 | 1
  readonly policies: string
}

/** What the writer sees in the refused database transaction. */
interface Found {
  readonly row: Row | undefined
  readonly relayer: RelayerState | undefined
  readonly isNameTaken: boolean
  readonly isSweeping: boolean
}

interface Refused extends Found {
  readonly of: ClientRequest
  /** The latest time that the machine's clock has shown since the request. */
  readonly nowMs: number
  readonly facts: RefusalFacts
}

export interface RefusalFacts {
  /** The most gas of the request, over all gas rules that the chain may have. */
  gasOf(request: SendRequest): number
  readonly isFcfs: boolean
  /** The process shuts down or has ended: its answer may be lost, or unknown. */
  isLeaving(): boolean
}

type Rule = (refused: Refused) => boolean

const hasStatus =
  (...some: readonly Row['status'][]): Rule =>
  ({ row }) =>
    row !== undefined && some.includes(row.status)

const isPaused: Rule = ({ relayer }) => relayer !== undefined && (relayer.paused === 1 || relayer.network_paused === 1)

const isForbidden: Rule = ({ relayer, of: { request } }) =>
  relayer !== undefined && request !== undefined && refusedBy(rulesOf(relayer.policies), request) !== undefined

/** 1,000 gwei. */
const dearWei = 1_000_000_000_000n

/** Without a cap the limit follows the market that the process has observed; here, only that it is never lower than this. */
const isDear: Rule = ({ relayer, of: { request } }) =>
  relayer !== undefined &&
  request !== undefined &&
  rulesOf(relayer.policies).gasPriceCap === undefined &&
  namedPrice(request) > dearWei

const hasTooLittleGas: Rule = ({ of: { request }, facts }) =>
  request?.gasLimit !== undefined && request.gasLimit < facts.gasOf(request)

/** Whether the payload has expired, or expires on hold. */
const comesTooLate: Rule = ({ row, relayer, of: { request }, nowMs }) => {
  const validUntil = request?.validUntil
  if (validUntil === undefined || !relayer) return false
  const kept = JSON.parse(row?.hold ?? '{}') as { readonly request?: HoldRequest }
  const hold = request?.hold ?? kept.request
  const { minHold = 0 } = rulesOf(relayer.policies)
  const holdEnd = hold?.kind === 'for' ? nowMs + hold.ms : hold?.kind === 'notBefore' ? hold.at : 0
  return validUntil <= Math.max(nowMs + minHold, holdEnd)
}

const ofPayloads = {
  RELAYER_PAUSED: isPaused,
  POLICY_VIOLATION: (refused: Refused) => isForbidden(refused) || isDear(refused),
  GAS_LIMIT_TOO_LOW: hasTooLittleGas,
  INVALID_REQUEST: comesTooLate,
} as const

const ofCancels = {
  TRANSACTION_NOT_FOUND: ({ row }: Refused) => row === undefined,
  TRANSACTION_ALREADY_MINED: hasStatus('mined'),
  TRANSACTION_ALREADY_CONFIRMED: hasStatus('confirmed'),
  TRANSACTION_ALREADY_FAILED: hasStatus('failed'),
  TRANSACTION_ALREADY_EXPIRED: hasStatus('expired'),
} as const

const isLeaving: Rule = ({ facts }) => facts.isLeaving()

/** Every operation may get these refusals. */
const ofShutdowns = { SHUTTING_DOWN: isLeaving } as const

const isUnpriced: Rule = ({ of }) => of.isPriced === true

const refusals = {
  send: { ...ofPayloads, EXTERNAL_ID_TAKEN: ({ isNameTaken }: Refused) => isNameTaken },
  replace: {
    ...ofPayloads,
    ...ofCancels,
    // A payload that one endpoint shows in a block and another denies may be executed.
    TRANSACTION_ALREADY_MINED: ({ row }: Refused) => row?.status === 'mined' || row?.included_contradicted != null,
    TRANSACTION_ALREADY_FAILED: ({ row }: Refused) => row?.status === 'failed' || row?.cancel_origin === 'refusal',
    TRANSACTION_ALREADY_CANCELED: hasStatus('canceled'),
    TRANSACTION_ALREADY_ORDERED: ({ row, facts }: Refused) => facts.isFcfs && row?.phase === 'inFlight',
    TRANSACTION_IS_GAP_FILLER: ({ row }: Refused) => row?.origin === 'gap',
    TRANSACTION_IS_SWEEP: ({ row }: Refused) => row?.origin === 'sweep',
    TOO_LATE_TO_HOLD: ({ row }: Refused) => row !== undefined && row.nonce !== null,
  },
  cancel: ofCancels,
  cancelAll: {},
  release: {
    ...ofCancels,
    TRANSACTION_ALREADY_CANCELED: hasStatus('canceled'),
    RELAYER_PAUSED: isPaused,
    PAYLOAD_DIGEST_MISSING: ({ of }: Refused) => of.shown === undefined,
    PAYLOAD_DIGEST_DIFFERS: ({ row, of }: Refused) =>
      of.shown !== undefined && row !== undefined && tagOf({ data: row.data }) !== of.shown.tag,
    SECOND_KEY_REQUIRED: ({ row, of }: Refused) => {
      const { setBy = [] } = JSON.parse(row?.four_eyes ?? '{}') as { readonly setBy?: readonly string[] }
      return setBy.length === 0 || (of.key !== undefined && setBy.includes(of.key))
    },
  },
  sweep: { POLICY_VIOLATION: isForbidden, SWEEP_UNDER_WAY: ({ isSweeping }: Refused) => isSweeping },
  bulk: {
    PRICE_UNOBSERVED: isUnpriced,
    TOO_MANY_MATCHES: ({ of }: Refused) => of.atMost !== undefined,
  },
  preview: { PRICE_UNOBSERVED: () => true },
  operate: {},
} as const satisfies Readonly<Record<string, Partial<Readonly<Record<ErrorCode, Rule>>>>>

export interface RefusalChecks {
  /** The state that the writer sees, within the database transaction. */
  find(of: ClientRequest): Found
  /** Undefined if the refusal is right. */
  fault(code: ErrorCode, refused: Refused): string | undefined
}

export function checkRefusals({ writer }: Disk): RefusalChecks {
  const rowOf = writer.prepare<[string], Row>('SELECT * FROM transactions WHERE id = ?')
  const relayerOf = writer.prepare<[string], RelayerState>(
    'SELECT paused, policies, EXISTS (SELECT 1 FROM network_pauses n WHERE n.network = r.network) AS network_paused FROM relayers r WHERE id = ?',
  )
  // One that ended by a no-op, or without a nonce, frees its name.
  const holders = writer.prepare<[string, string], unknown>(
    "SELECT 1 FROM transaction_labels l LEFT JOIN transactions t ON t.id = l.transaction_id WHERE l.relayer_id = ? AND l.external_id = ? AND (t.id IS NULL OR t.open = 1 OR (t.phase <> 'dropped' AND t.included_kind IS NOT 'cancel'))",
  )
  const sweeps = writer.prepare<[string], unknown>(
    "SELECT 1 FROM transactions WHERE relayer_id = ? AND origin = 'sweep' AND open = 1",
  )
  return {
    find({ operation, id, relayer = '', request }) {
      const name = request?.labels?.externalId
      return {
        row: id === undefined ? undefined : rowOf.get(id),
        relayer: relayerOf.get(relayer),
        isNameTaken: name !== undefined && holders.get(relayer, name) !== undefined,
        isSweeping: operation === 'sweep' && sweeps.get(relayer) !== undefined,
      }
    },
    fault(code, refused) {
      const { operation } = refused.of
      const rules: Partial<Readonly<Record<ErrorCode, Rule>>> = { ...ofShutdowns, ...refusals[operation] }
      const rule = rules[code]
      if (!rule) return `refused with ${code}, which no ${operation} may get here`
      return rule(refused) ? undefined : `refused with ${code}, and nothing in the database demands that`
    },
  }
}
