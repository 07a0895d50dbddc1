// The words of this page that only a relayer of this kind needs, at its foot.

const words: readonly (readonly [string, string])[] = [
  ['payload', 'What a transaction was sent to do: its receiver, its value and its data.'],
  [
    'attempt',
    'A signed version of a transaction. All attempts of a nonce compete, and a block holds at most one of them.',
  ],
  ['no-op', 'An empty transaction of the relayer to itself. It takes a nonce, so that the payload can’t.'],
  ['gap filler', 'A no-op for a nonce that nothing uses: without it, no later nonce would be mined.'],
  ['foreign', 'A transaction of the relayer’s account that this service did not sign.'],
  ['verdict', 'How a cancellation ends: canceled, too late, or the nonce taken. It may change until it is final.'],
  ['final', 'In a block so deep, by the network’s rule, that no reorganization is expected to remove it.'],
  ['gas price', 'What a unit of gas costs. An attempt offers a maximum; the block takes its base fee and the tip.'],
]

export function Glossary() {
  return (
    <details class="glossary">
      <summary>Words on these pages</summary>
      <dl>
        {words.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
