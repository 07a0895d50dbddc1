// Sends under four eyes. It has landed, and is never edited.

export const ofFourEyes = [
  {
    name: '058-four-eyes',
    // JSON; null unless it stands under four eyes.
    statements: ['ALTER TABLE transactions ADD COLUMN four_eyes TEXT'],
  },
]
