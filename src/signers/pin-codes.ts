// The codes of a token that refuses its PIN. A token counts wrong PINs and locks itself, so none of them is tried again.

/** Of C_Login, and of a token whose next wrong PIN would lock it. */
export const pinCodes: readonly string[] = [
  ...['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED', 'CKR_PIN_LOCKED'],
  ...['CKR_PIN_TOO_WEAK', 'CKR_USER_PIN_NOT_INITIALIZED', 'PIN_FINAL_TRY'],
]
