// Whether a client insists on a gas limit that may not pay for a new account. It has landed, and is never edited.

export const ofOutOfGas = [
  {
    name: '042-allow-out-of-gas',
    statements: ['ALTER TABLE transactions ADD COLUMN allow_out_of_gas INTEGER'],
  },
]
