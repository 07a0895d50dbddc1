// The network's price now, beside the cap that it exceeds, and where the cap is changed.
import { useSignal } from '@preact/signals'
import type { CapName, ShownPrice } from '../state/caps.ts'
import { shownNow } from '../state/clock.ts'
import { grouped, weiOfGwei } from '../state/format.ts'
import { pathOf } from '../state/request.ts'
import { may } from '../state/session.ts'
import { Dialog } from './dialog.tsx'
import { Gwei } from './exact.tsx'
import { Age, assign, TextField } from './pieces.tsx'

/** A younger reading is as good as now. */
const freshMs = 60_000

function PriceNow({ price }: { price: ShownPrice }) {
  return (
    <>
      <Gwei wei={price.per_gas} /> for a unit of gas (base fee and tip, <ReadAt price={price} />)
    </>
  )
}

/** Without transactions and without readers, a service reads no price. */
export function ReadAt({ price }: { price: ShownPrice }) {
  const isOld = shownNow.value - Date.parse(price.read_at) > freshMs
  return (
    <>
      at block {grouped(price.block_number)}
      {isOld && (
        <>
          , read <Age at={price.read_at} /> ago
        </>
      )}
    </>
  )
}

/** For a wait at a cap: the price to compare it with, and the request that raises it. */
export function CapHelp({ relayer, name, price }: { relayer: string; name: CapName; price: ShownPrice | undefined }) {
  return (
    <>
      {price && (
        <p>
          The network’s price now: <PriceNow price={price} />.
        </p>
      )}
      <HowToRaise relayer={relayer} name={name} price={price} />
    </>
  )
}

/** Nothing waits at the cap now. The next send would. */
export function CapBelow({ relayer, cap, price }: { relayer: string; cap: bigint; price: ShownPrice }) {
  return (
    <div class="notice warn stacked">
      <p>
        <strong>The cap is below the network’s price.</strong> <code>gas_price_cap</code> is <Gwei wei={cap} />. The
        network’s price now: <PriceNow price={price} />. The next transaction may wait at the cap.
      </p>
      <HowToRaise relayer={relayer} name="gas_price_cap" price={price} />
    </div>
  )
}

function HowToRaise({ relayer, name, price }: { relayer: string; name: CapName; price: ShownPrice | undefined }) {
  const isRaising = useSignal(false)
  if (!may('admin')) {
    return (
      <p>
        A key with the scope <code>admin</code> raises the cap:{' '}
        <code>
          rescind policies set {name} …gwei -r {relayer}
        </code>
      </p>
    )
  }
  return (
    <p>
      <button type="button" onClick={() => assign(isRaising, true)}>
        Raise the cap…
      </button>
      {isRaising.value && (
        <RaiseCap relayer={relayer} name={name} price={price} close={() => assign(isRaising, false)} />
      )}
    </p>
  )
}

/** Room for a base fee that doubles. */
function suggested(price: ShownPrice | undefined): string {
  return price === undefined ? '' : String(Math.ceil((Number(price.per_gas) * 2) / 1e9))
}

function RaiseCap({
  relayer,
  name,
  price,
  close,
}: {
  relayer: string
  name: CapName
  price: ShownPrice | undefined
  close: () => void
}) {
  const amount = useSignal(suggested(price))
  const wei = weiOfGwei(amount.value)
  return (
    <Dialog
      title={`Raise ${name} of ${relayer}`}
      confirm="Set the cap"
      isHarmless
      isReady={wei !== undefined && wei > 0n}
      call={{
        path: pathOf`/v1/relayers/${relayer}`,
        method: 'PATCH',
        body: { policies: { [name]: String(wei ?? '…') } },
      }}
      close={close}
    >
      <p>
        The most that {name === 'gas_price_cap' ? 'a send' : 'a no-op'} may pay for a unit of gas. It is in force from
        the next step, also for transactions that wait, and overrides the configuration file.
      </p>
      {price && (
        <p>
          The network’s price now: <PriceNow price={price} />.
        </p>
      )}
      <TextField label="Cap in gwei" text={amount} inputMode="decimal" autofocus />
    </Dialog>
  )
}
