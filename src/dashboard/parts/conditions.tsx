// The conditions of a relayer: each since when, with its words, its page in the runbook, and its acknowledgment.
import { useSignal } from '@preact/signals'
import type { OverviewView } from '../../client/relayer-types.ts'
import { capIn } from '../state/caps.ts'
import { conditionTitles } from '../state/conditions.ts'
import { begun, grouped } from '../state/format.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, request } from '../state/request.ts'
import { may } from '../state/session.ts'
import { Dialog } from './dialog.tsx'
import { Ether } from './exact.tsx'
import { Age, assign, Runbook, TextField } from './pieces.tsx'
import { CapHelp } from './price.tsx'

type Held = OverviewView['conditions'][number]

export function Conditions({ relayer, reload }: { relayer: OverviewView; reload: () => void }) {
  const acknowledging = useSignal<Held | undefined>(undefined)
  return (
    <>
      {relayer.conditions.map((held) => (
        <Condition
          key={held.condition}
          relayer={relayer}
          held={held}
          acknowledge={() => assign(acknowledging, held)}
          reload={reload}
        />
      ))}
      {acknowledging.value && (
        <Acknowledge
          relayer={relayer.id}
          held={acknowledging.value}
          close={() => {
            acknowledging.value = undefined
            reload()
          }}
        />
      )}
    </>
  )
}

/** The endpoints show the cause. */
const ofNodes: readonly Held['condition'][] = ['node_unreachable', 'node_behind', 'node_refuses', 'facts_missing']

const ofBalance: readonly Held['condition'][] = ['balance_short', 'balance_below_minimum']

/** The payment that ends it, at the prices of now. The text has the figures from when it began. */
function TopUp({ topUp: { next, queue }, symbol }: { topUp: NonNullable<OverviewView['top_up']>; symbol: string }) {
  return (
    <p>
      Missing now: <Ether wei={next} symbol={symbol} isPayment /> for the next transaction
      {queue && queue.transactions > 1 && (
        <>
          , at least <Ether wei={queue.wei} symbol={symbol} isPayment /> for the first {grouped(queue.transactions)}{' '}
          that wait
        </>
      )}
      .
    </p>
  )
}

function acknowledgmentOf(relayer: string, { condition }: Held): string {
  return pathOf`/v1/relayers/${relayer}/conditions/${condition}/acknowledgment`
}

function Condition({
  relayer: { id, network, held_up: heldUp, network_price: price, top_up: topUp },
  held,
  acknowledge,
  reload,
}: {
  relayer: OverviewView
  held: Held
  acknowledge: () => void
  reload: () => void
}) {
  const { condition, since, text, acknowledged } = held
  const cap = capIn(condition)
  const isOfFirst = heldUp?.wait.condition === condition
  return (
    <div class={`notice ${condition === 'paused' || acknowledged ? 'warn' : 'bad'}`}>
      <div class="words">
        <p>
          <strong>{conditionTitles[condition]}</strong> for <Age at={since} />
          {text === undefined ? '.' : `. ${begun(text)}`} <Runbook wait={held} />
          {ofNodes.includes(condition) && (
            <>
              {' '}
              <a href="/nodes">Its nodes</a>
            </>
          )}
        </p>
        {acknowledged && (
          <p>
            Acknowledged <Age at={acknowledged.at} /> ago{acknowledged.note ? `: ${acknowledged.note}` : '.'}
          </p>
        )}
        {cap && <CapHelp relayer={id} name={cap} price={price} />}
        {topUp && topUp.next !== '0' && ofBalance.includes(condition) && (
          <TopUp topUp={topUp} symbol={networkOf(network).symbol} />
        )}
      </div>
      {isOfFirst && heldUp && (
        <a class="button" href={pathOf`/relayers/${id}/transactions/${heldUp.id}`}>
          {heldUp.nonce === undefined ? 'Open the transaction that waits' : `Open nonce ${grouped(heldUp.nonce)}`}
        </a>
      )}
      {may('admin') &&
        (acknowledged ? (
          <button
            type="button"
            onClick={() => void request(acknowledgmentOf(id, held), { method: 'DELETE' }).then(reload, reload)}
          >
            Withdraw the acknowledgment
          </button>
        ) : (
          <button type="button" onClick={acknowledge}>
            Acknowledge…
          </button>
        ))}
    </div>
  )
}

function Acknowledge({ relayer, held, close }: { relayer: string; held: Held; close: () => void }) {
  const note = useSignal('')
  const path = acknowledgmentOf(relayer, held)
  const body = note.value === '' ? {} : { note: note.value }
  return (
    <Dialog
      title={`Acknowledge: ${conditionTitles[held.condition]}`}
      confirm="Acknowledge"
      isHarmless
      call={{ path, method: 'PUT', body }}
      close={close}
    >
      <p>
        {held.condition === 'foreign_use'
          ? 'It ends the condition, with its metric and its alert.'
          : 'It is shown beside the condition until the condition is over. Metrics and alerts go on.'}
      </p>
      <TextField label="Note for others (optional)" text={note} maxLength={1000} />
    </Dialog>
  )
}
