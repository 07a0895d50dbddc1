// How many endpoints showed the spender of a nonce when it was final. It has landed, and is never edited.

export const ofWitnesses = [
  {
    name: '039-witnesses',
    statements: ['ALTER TABLE transactions ADD COLUMN witnesses INTEGER'],
  },
]
